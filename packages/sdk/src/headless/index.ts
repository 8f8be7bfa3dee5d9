export type {
  HeadlessAbort,
  HeadlessAnswer,
  HeadlessCommand,
  HeadlessInput,
  HeadlessRunSettings,
} from './commands.ts'
export type {
  HeadlessFormat,
  HeadlessReceipt,
  HeadlessRecord,
  HeadlessStart,
  TextSink,
} from './records.ts'
export type { HeadlessReason, HeadlessResult } from './result.ts'
export { EXIT_CODES, HEADLESS_VERSION } from './result.ts'
export type { HeadlessOptions } from './run-headless.ts'
export { runHeadless } from './run-headless.ts'
export type { AgentSetup } from './setup.ts'
export type { TextSource } from './text.ts'
