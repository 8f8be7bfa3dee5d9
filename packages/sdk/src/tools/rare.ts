// What few calls need, loaded together when one does. Chunks that share code with the core cost more than they save, so
// there is this one.
export { contentOutcome } from './content-outcome.ts'
export { drained } from './drained.ts'
export { stopped, thrown, unreadable } from './failure.ts'
export { inputIssue } from './input-issues.ts'
export { keep } from './keep.ts'
export { outputPump } from './output.ts'
export { presentedFile } from './present.ts'
export { refusal } from './refusals.ts'
export { missingZod, unrepresentable } from './schema-failures.ts'
export { serialise } from './serialise.ts'
