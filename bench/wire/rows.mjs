import { inTurns, median } from '../measure.mjs'
import { growthUnderLoad } from './load.mjs'
import { withReaders, withServer } from './processes.mjs'

const LAST_WORDS = '"type":"finish"'
const DELTAS = { 1: 8_000, 1000: 200 }
const IDLE = 2_000
const BEHIND = 50_000

const CONTESTANTS = { us: './us.mjs', floor: './raw.mjs' }

/** The server's side of the wire, against a bare one that keeps nothing. See README.md. */
export const JOBS = [
  ...[1, 1000].map((readers) => ({
    rows: [
      { work: `readers-${readers}`, unit: 'µs CPU/event', limit: 2.5, peers: [] },
      { work: `rate-${readers}`, unit: 'µs wall/event', us: 'us wall', floor: 'floor wall', limit: 5, peers: [] },
    ],
    measure: (options) => fanOut(readers, options),
  })),
  {
    rows: [{ work: 'idle-reader', unit: 'KB heap', limit: 2, peers: [] }],
    measure: ({ repeats, only }) =>
      inTurns(takingPart(only), Math.min(repeats, 3), (name) =>
        withServer(CONTESTANTS[name], async (server) => {
          // What a first connection loads is nobody's.
          await withReaders(server, { count: 1, last: LAST_WORDS }, () => {})
          const before = await server.ask('heap')
          return withReaders(server, { count: IDLE, last: LAST_WORDS }, async () => {
            return ((await server.ask('heap')) - before) / IDLE / 1000
          })
        }),
      ),
  },
  {
    rows: [{ work: 'resume', unit: 'ms', limit: 1.5, peers: [] }],
    measure: resuming,
  },
  {
    // 2,000 readers of 500 sessions that are all at work: our heap after two minutes, against after 40 s.
    rows: [{ work: 'load', unit: 'MB heap', limit: 1.2, peers: [] }],
    measure: growthUnderLoad,
  },
]

/** What an event costs the server for each of its readers, and how long it takes to be with all of them. */
async function fanOut(readers, { repeats, only }) {
  const deltas = DELTAS[readers]
  const names = takingPart(only)
  const walls = new Map(names.map((name) => [name, []]))
  const cpu = await inTurns(names, repeats, (name) =>
    withServer(CONTESTANTS[name], async (server) => {
      await server.ask('say', deltas / 4)
      return withReaders(server, { count: readers, last: LAST_WORDS }, async ({ finished }) => {
        const before = await server.ask('cpu')
        const from = performance.now()
        await server.ask('say', deltas)
        await finished()
        walls.get(name).push(((performance.now() - from) * 1_000) / deltas / readers)
        return (((await server.ask('cpu')) - before) * 1_000) / deltas / readers
      })
    }),
  )
  const wall = [...walls].map(([name, times]) => [`${name} wall`, median(times)])
  return { ...cpu, ...Object.fromEntries(wall) }
}

/** From the request to the last of 50,000 events, and the same bytes from a server that has them ready. */
async function resuming({ repeats }) {
  const last = `Title ${BEHIND - 1}"`
  return withServer(CONTESTANTS.us, async (us) => {
    await us.ask('fill', BEHIND)
    const read = (server) => withReaders(server, { count: 1, last, after: 0 }, ({ finished }) => finished())
    const { body } = await read(us)
    return withServer(CONTESTANTS.floor, async (floor) => {
      await floor.ask('fill', pagesOf(body))
      return inTurns(['us', 'floor'], repeats, async (name) => (await read(name === 'us' ? us : floor)).ms)
    })
  })
}

/** As large as those of a server that reads ahead. */
function pagesOf(text) {
  const pages = []
  for (let from = 0; from < text.length; from += 65_536) pages.push(text.slice(from, from + 65_536))
  return pages
}

function takingPart(only) {
  return Object.keys(CONTESTANTS).filter((name) => only === undefined || only.includes(name))
}
