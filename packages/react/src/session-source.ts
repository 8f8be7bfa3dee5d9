import type { Page, SessionRow } from '@stepwell/sdk'
import type { ViewedSession } from '@stepwell/sdk/view'

/** Which sessions, and how many of them. */
export interface SessionListQuery {
  /** Part of the title, case ignored. */
  readonly search?: string | undefined
  /** Default: only those that are not archived. */
  readonly archived?: boolean | undefined
  /** Default 50, at most 500. */
  readonly limit?: number | undefined
}

/** Where sessions come from: a client of a server, or an agent in this page. */
export interface SessionSource {
  /** Without an id a new one, of a source that has no `create`. With `create: false` only one that is there. */
  session(id?: string, options?: { readonly create?: boolean }): ViewedSession | Promise<ViewedSession>
  create?(): Promise<ViewedSession>
  sessions(query?: SessionListQuery & { readonly cursor?: string | undefined }): Promise<Page<SessionRow>>
  delete(id: string): Promise<void>
}
