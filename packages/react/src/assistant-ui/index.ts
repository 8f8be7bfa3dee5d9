export { type StepwellExtras, useStepwellExtras } from './extras.ts'
export { type StepwellRuntimeOptions, useStepwellRuntime } from './use-stepwell-runtime.ts'
