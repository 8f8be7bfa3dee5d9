export type { Connection, RemoteSession } from '../../protocol/remote-session.ts'
export {
  type Client,
  type ClientOptions,
  type ClientSessionOptions,
  type CreateOptions,
  createClient,
} from './client.ts'
export type { Network } from './environment.ts'
