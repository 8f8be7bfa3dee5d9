export { type AGUIHandler, createAGUIHandler } from './handler.ts'
export type { AGUIHandlerOptions } from './options.ts'
