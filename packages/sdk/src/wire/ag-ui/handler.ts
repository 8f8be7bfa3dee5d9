import type { Context } from 'hono'
import { hasCode } from '../../protocol/has-code.ts'
import { accessible, type Principal } from '../server/access.ts'
import { readJson } from '../server/body.ts'
import { notFound } from '../server/errors.ts'
import type { Env } from '../server/guard.ts'
import { type AgentServer, guardedServer } from '../server/guarded-server.ts'
import { OpenStreams } from '../server/open-streams.ts'
import { RunKeeper } from '../server/run-keeper.ts'
import { createOwn } from '../server/sessions.ts'
import { Connection } from './connection.ts'
import { type RunInput, runInput } from './input.ts'
import { type News, newsOf } from './news.ts'
import { type AGUIHandlerOptions, type HandlerSettings, handlerSettings } from './options.ts'

/** `fetch` answers a client's run, whatever the path. It never rejects. */
export type AGUIHandler = AgentServer

/** Serves an agent's sessions to clients of AG-UI. Throws `config.invalid` when the options cannot work. */
export function createAGUIHandler(options: AGUIHandlerOptions): AGUIHandler {
  const settings = handlerSettings(options)
  const keeper = new RunKeeper(settings.server)
  const open = new OpenStreams(settings.server)
  return guardedServer({
    settings: settings.server,
    keeper,
    closeStreams: () => open.close(),
    routes: { '*': { POST: (c) => answer(c, settings, keeper, open) } },
  })
}

async function answer(
  c: Context<Env>,
  settings: HandlerSettings,
  keeper: RunKeeper,
  open: OpenStreams,
): Promise<Response> {
  const principal = c.get('principal')
  const { server, maxBodyBytes, onDisconnect, state } = settings
  const { host, heartbeatMs } = server
  const input = runInput(await readJson(c.req.raw, maxBodyBytes))
  await reachable(input, principal, settings)
  const { threadId } = input
  const session = await host.open(threadId, { create: false })
  await session.lookAfter()
  const handle = await server.agent.session(threadId, { create: false })
  const mayWrite = await isWritable(threadId, principal, settings)
  const news = newsOf(input, session.feed.state)
  if (!mayWrite && isAsking(news)) throw notFound(threadId)

  const connection = new Connection({
    host,
    session,
    handle,
    input,
    news,
    by: principal.id,
    mayContinue: mayWrite,
    heartbeatMs,
    onDisconnect,
    state,
    onAsked: () => keeper.keep(session),
  })
  open.add(connection.stream, () => connection.letGo())
  void connection.run()
  return connection.stream.response(c)
}

/** The session is one the caller may read, or is created: a client names its threads itself. */
async function reachable({ threadId, transcript }: RunInput, principal: Principal, settings: HandlerSettings) {
  const { server } = settings
  const { store } = server.host.runtime
  try {
    return await accessible(threadId, principal, 'read', server)
  } catch (thrown) {
    const isThere = (await store.get(threadId)) !== undefined
    // One that says nothing has nothing to begin with.
    if (!hasCode(thrown, 'session.not-found') || isThere || transcript.trailing.length === 0) throw thrown
  }
  return createOwn(threadId, {}, principal, server)
}

async function isWritable(id: string, principal: Principal, { server }: HandlerSettings): Promise<boolean> {
  try {
    await accessible(id, principal, 'write', server)
    return true
  } catch (thrown) {
    if (hasCode(thrown, 'session.not-found')) return false
    throw thrown
  }
}

function isAsking({ messages, answers }: News): boolean {
  return messages.length > 0 || answers.length > 0
}
