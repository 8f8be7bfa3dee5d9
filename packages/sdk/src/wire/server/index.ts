export type { Principal, SessionAction } from './access.ts'
export { type AgentServer, createAgentServer } from './create-server.ts'
export type { AgentServerOptions, Exposed } from './options.ts'
