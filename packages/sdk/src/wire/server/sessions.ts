import type { Context } from 'hono'
import type { OpenOptions } from '../../agent/open-options.ts'
import { SessionError, WireError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { checkSessionId } from '../../protocol/session-id.ts'
import { createSessionSchema, forkSchema } from '../../protocol/wire/bodies.ts'
import type { SessionRow } from '../../stores/store.ts'
import { accessible, isOwn, type Principal } from './access.ts'
import { checked, readJson } from './body.ts'
import type { Channels } from './channels.ts'
import { badRequest, notFound } from './errors.ts'
import type { Env } from './guard.ts'
import { MAX_JSON_BYTES } from './limits.ts'
import type { ServerSettings } from './options.ts'
import { countOf } from './query.ts'

/** Messages of a snapshot; the older ones are read in pages. */
const WINDOW = 200

/** What `GET /sessions` gives at most. */
const MAX_PAGE = 500

export async function createSession(c: Context<Env>, settings: ServerSettings): Promise<Response> {
  const principal = c.get('principal')
  const { id: given, ...details } = checked(createSessionSchema, await readJson(c.req.raw, MAX_JSON_BYTES))
  if (details.history !== undefined && !settings.expose.includes('history')) {
    throw new WireError('wire.not-exposed', 'This server does not expose history.', {
      details: { options: ['history'] },
    })
  }
  const { runtime } = settings.host
  const id = typeof given === 'string' ? given : runtime.ids('ses')
  checkWireId(id)
  const known = await runtime.store.get(id)
  if (known !== undefined) return c.json({ session: own(known, principal) }, 200)
  return c.json({ session: await createOwn(id, details as OpenOptions, principal, settings) }, 201)
}

/** A new session of the principal's. Rejects with `session.not-found` when somebody else took the id meanwhile. */
export async function createOwn(
  id: string,
  details: OpenOptions,
  principal: Principal,
  { host }: ServerSettings,
): Promise<SessionRow> {
  checkWireId(id)
  await host.open(id, { ...details, ...ownerOf(principal) })
  return own(await host.runtime.store.get(id), principal, id)
}

export async function listSessions(c: Context<Env>, { host }: ServerSettings): Promise<Response> {
  const principal = c.get('principal')
  const { search, archived, limit, cursor } = c.req.query()
  if (archived !== undefined && archived !== 'true' && archived !== 'false') {
    throw badRequest('archived is true or false.')
  }
  const page = await host.runtime.store.list({
    principal: principal.id,
    ...(principal.tenant !== undefined && { tenant: principal.tenant }),
    ...(search !== undefined && { search }),
    ...(archived !== undefined && { archived: archived === 'true' }),
    ...(limit !== undefined && { limit: countOf('limit', limit, MAX_PAGE) }),
    ...(cursor !== undefined && { cursor }),
  })
  // Without a tenant, a store looks in all of them.
  return c.json({ ...page, items: page.items.filter((row) => isOwn(principal, row)) })
}

export async function readSession(c: Context<Env>, settings: ServerSettings, id: string): Promise<Response> {
  await accessible(id, c.get('principal'), 'read', settings)
  const session = await settings.host.open(id, { create: false })
  await session.lookAfter()
  const row = await settings.host.runtime.store.get(id)
  if (row === undefined) throw notFound(id)
  const { state } = session.feed
  const history = state.history.slice(-WINDOW)
  const [first] = history
  const before = first !== undefined && history.length < state.history.length ? { before: first.id } : {}
  return c.json({ row, seq: state.seq, state: { ...state, history }, ...before })
}

export async function readMessages(c: Context<Env>, settings: ServerSettings, id: string): Promise<Response> {
  await accessible(id, c.get('principal'), 'read', settings)
  const { before, limit } = c.req.query()
  const count = limit === undefined ? WINDOW : countOf('limit', limit, WINDOW)
  const session = await settings.host.open(id, { create: false })
  await session.lookAfter()
  const { history } = session.feed.state
  const end = before === undefined ? history.length : history.findIndex((message) => message.id === before)
  if (end === -1) throw new SessionError('session.unknown-message', `The history has no message ${before}.`)
  const messages = history.slice(Math.max(0, end - count), end)
  const [first] = messages
  return c.json({ messages, ...(first !== undefined && end > count && { before: first.id }) })
}

export async function forkSession(c: Context<Env>, settings: ServerSettings, id: string): Promise<Response> {
  const principal = c.get('principal')
  await accessible(id, principal, 'read', settings)
  const { id: given, ...options } = checked(forkSchema, await readJson(c.req.raw, MAX_JSON_BYTES))
  const { runtime } = settings.host
  const forkId = typeof given === 'string' ? given : runtime.ids('ses')
  checkWireId(forkId)
  const known = await runtime.store.get(forkId)
  if (known !== undefined) return c.json({ session: own(known, principal) }, 200)
  const session = await settings.agent.session(id, { create: false })
  await session.fork({ ...options, ...ownerOf(principal), id: forkId })
  return c.json({ session: own(await runtime.store.get(forkId), principal, forkId) }, 201)
}

export async function deleteSession(
  c: Context<Env>,
  settings: ServerSettings,
  channels: Channels,
  id: string,
): Promise<Response> {
  await accessible(id, c.get('principal'), 'delete', settings)
  await channels.delete(id, () => settings.agent.delete(id))
  return c.body(null, 204)
}

/** `.` and `..` mean something else in a path. */
function checkWireId(id: string): void {
  checkSessionId(id)
  if (id === '.' || id === '..') throw new SessionError('session.invalid-id', 'This session id cannot be in a path.')
}

function ownerOf({ id, tenant }: Principal): JsonObject {
  return { principal: id, ...(tenant !== undefined && { tenant }) }
}

/** A taken id answers like one that is not there. */
function own(row: SessionRow | undefined, principal: Principal, id = row?.id ?? ''): SessionRow {
  if (row === undefined || !isOwn(principal, row)) throw notFound(id)
  return row
}
