import type { Context } from 'hono'
import { storedInput } from '../../agent/input-content.ts'
import type { Command } from '../../protocol/commands.ts'
import { WireError } from '../../protocol/errors.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { commandSchema } from '../../protocol/wire/commands.ts'
import { accessible } from './access.ts'
import { checked, readJson } from './body.ts'
import type { Env } from './guard.ts'
import { MAX_JSON_BYTES } from './limits.ts'
import type { ServerSettings } from './options.ts'
import type { RunKeeper } from './run-keeper.ts'

export async function takeCommand(
  c: Context<Env>,
  settings: ServerSettings,
  keeper: RunKeeper,
  id: string,
): Promise<Response> {
  const principal = c.get('principal')
  await accessible(id, principal, 'write', settings)
  const body = await readJson(c.req.raw, MAX_JSON_BYTES)
  checkExposed(body, settings.expose)
  const { host } = settings
  const session = await host.open(id, { create: false })
  const at = host.runtime.clock.now()
  const command = { ...checked(commandSchema, body), at, by: principal.id } as unknown as Command
  const receipt = await session.submit(await withStoredParts(command, id, settings), true)
  keeper.keep(session)
  return c.json({ receipt }, receipt.status === 'accepted' ? 202 : 200)
}

/** Also what no run has: a client learns that it was not taken. */
function checkExposed({ options }: JsonObject, exposed: readonly string[]): void {
  if (!isObject(options)) return
  const refused = Object.keys(options).filter((name) => name === 'history' || !exposed.includes(name))
  if (refused.length === 0) return
  throw new WireError('wire.not-exposed', `This server does not expose ${refused.join(', ')}.`, {
    details: { options: refused },
  })
}

async function withStoredParts(command: Command, id: string, { host }: ServerSettings): Promise<Command> {
  if ((command.type !== 'input' && command.type !== 'input-change') || command.parts === undefined) return command
  const { store } = host.runtime
  return { ...command, parts: await storedInput(command.parts, id, { store, ready: Promise.resolve() }) }
}
