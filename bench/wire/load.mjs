// 500 sessions at work and four readers of each, for two minutes.
import { setTimeout as delay } from 'node:timers/promises'
import { withServer, withWatchers } from './processes.mjs'

const SESSIONS = 500
const READERS = 4
const WARM_UP_MS = 40_000
const LAST_MS = 80_000

/** The heap at the end, against after a third of the time. Throws where a reader missed something, or the end is unclean. */
export async function growthUnderLoad() {
  return withServer('./busy.mjs', async (server) => {
    await server.ask('open', SESSIONS)
    return withWatchers(server, { sessions: SESSIONS, each: READERS }, async ({ report }) => {
      await delay(WARM_UP_MS)
      const before = await server.ask('heap')
      await delay(LAST_MS)
      const after = await server.ask('heap')
      const { reasons, open } = await server.ask('close')
      await delay(1_000)
      const { events, messages, reconnects, wrong } = await report()
      console.error(`${events} events and ${messages} messages read; runs: ${JSON.stringify(reasons)}`)
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
      if (reconnects !== SESSIONS * READERS) throw new Error(`${reconnects} readers were told to come back`)
      if (open > 0 || Object.keys(reasons).some((reason) => reason !== 'stop')) throw new Error(`${open} runs are open`)
      return { us: after / 1_000_000, floor: before / 1_000_000 }
    })
  })
}
