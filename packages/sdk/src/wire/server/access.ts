import type { AgentHost } from '../../agent/host.ts'
import { ConfigError, WireError } from '../../protocol/errors.ts'
import { nameProblem } from '../../protocol/name-problem.ts'
import { checkSessionId } from '../../protocol/session-id.ts'
import type { SessionRow } from '../../stores/store.ts'
import { notFound } from './errors.ts'

/** Who asks. A session belongs to the principal and the tenant that created it. */
export interface Principal {
  /** 1 to 256 characters. It is written into the log as the author of what it causes. */
  readonly id: string
  /** A wall: nothing is shared across it. */
  readonly tenant?: string
}

/** `read`: see and fork it. `write`: whatever a command does, and uploads. */
export type SessionAction = 'read' | 'write' | 'delete'

export interface AccessOptions {
  readonly authorize: (request: Request) => Principal | undefined | Promise<Principal | undefined>
  readonly canAccess?: (principal: Principal, session: SessionRow, action: SessionAction) => boolean | Promise<boolean>
}

/** Rejects with `wire.unauthorized`, with what `authorize` threw, and with `config.invalid` for what is no principal. */
export async function authorized(request: Request, { authorize }: AccessOptions): Promise<Principal> {
  const principal = await authorize(request)
  if (principal === undefined || principal === null) {
    throw new WireError('wire.unauthorized', 'The server does not know who asks.')
  }
  const { id, tenant } = principal
  if (nameProblem(id) !== undefined || (tenant !== undefined && nameProblem(tenant) !== undefined)) {
    throw new ConfigError('config.invalid', 'authorize has to give { id, tenant? } with texts of 1 to 256 characters.')
  }
  return { id, ...(tenant !== undefined && { tenant }) }
}

export function isOwn(principal: Principal, row: SessionRow): boolean {
  return row.principal === principal.id && row.tenant === principal.tenant
}

/** The row of a session the principal may do this with. Rejects with `session.not-found`, and `session.invalid-id`. */
export async function accessible(
  id: string,
  principal: Principal,
  action: SessionAction,
  { host, canAccess }: { readonly host: AgentHost; readonly canAccess?: AccessOptions['canAccess'] },
): Promise<SessionRow> {
  checkSessionId(id)
  const row = await host.runtime.store.get(id)
  if (row === undefined) throw notFound(id)
  if (isOwn(principal, row)) return row
  if (row.tenant !== principal.tenant || canAccess === undefined) throw notFound(id)
  // Only a plain yes opens it.
  if ((await canAccess(principal, row, action)) !== true) throw notFound(id)
  return row
}
