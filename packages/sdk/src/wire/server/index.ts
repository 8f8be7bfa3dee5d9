export type { Principal, SessionAction } from './access.ts'
export { createAgentServer } from './create-server.ts'
export type { AgentServer } from './guarded-server.ts'
export type { AgentServerOptions, Exposed } from './options.ts'
