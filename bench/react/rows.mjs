import { inTurns, message } from '../measure.mjs'

const PEERS = ['ai', 'tanstack-ai']
const EVERYONE = ['us', ...PEERS]

/** Waits between two renders, ms, that useChat is tried with: the best one counts. */
const THROTTLES = [50, 100]
const HISTORIES = [10, 100, 1_000, 5_000]
const TOKENS = 4_000
const PACE = { tokens: 800, perSecond: 200 }
const DELTAS_KEPT = 100_000

/** The hooks in a page, beside other hooks. See README.md. */
export const JOBS = [
  {
    rows: [
      { work: 'react-burst', unit: 'ms', floor: 'useChat, throttled', limit: 0.5, peers: PEERS },
      { work: 'react-renders', unit: 'a frame', us: 'renders of us', bound: 1, peers: [] },
    ],
    async measure({ repeats, only }) {
      const renders = []
      const throttled = THROTTLES.map((throttle) => `ai every ${throttle}`)
      const times = await inTurns(takingPart([...EVERYONE, ...throttled], only), repeats, async (name) => {
        const [contestant, throttle] = name.split(' every ')
        const work = { messages: 2, deltas: 8_000, ...(throttle && { throttle: Number(throttle) }) }
        const { ms, renders: rendered, frames } = await measured(contestant, work)
        if (name === 'us') renders.push(rendered / frames)
        return ms
      })
      const best = Math.min(...throttled.map((name) => times[name]))
      return { ...times, 'useChat, throttled': best, 'renders of us': Math.max(...renders) }
    },
  },
  {
    rows: [
      ...HISTORIES.map((messages) => ({
        work: `react-token-${messages}`,
        unit: 'ms/token',
        us: `us at ${messages}`,
        bound: messages === 1_000 ? 0.08 : Number.POSITIVE_INFINITY,
        peers: [],
      })),
      { work: 'react-token-flat', unit: 'ms/token', us: 'us at 5000', floor: 'us at 10', limit: 2, peers: [] },
    ],
    measure({ repeats }) {
      const names = HISTORIES.map((messages) => `us at ${messages}`)
      return inTurns(names, repeats, async (name) => {
        const messages = Number(name.split(' at ')[1])
        return (await measured('us', { messages, deltas: TOKENS })).ms / TOKENS
      })
    },
  },
  {
    rows: [{ work: 'react-memory', unit: 'KB', floor: 'us at once', limit: 1.2, peers: [] }],
    measure({ repeats }) {
      return inTurns(['us', 'us at once'], Math.min(repeats, 3), async (name) => {
        const work = { kind: 'memory', messages: 2, deltas: DELTAS_KEPT, isOneDelta: name === 'us at once' }
        return (await inBrowser('us', work)).kilobytes
      })
    },
  },
  {
    rows: [
      { work: 'react-longest-task', unit: 'ms wall', us: 'us, longest', bound: 50, peers: [] },
      { work: 'react-script', unit: 'ms/frame p95', bound: 4, peers: PEERS },
    ],
    async measure({ repeats, only }) {
      const longest = []
      const script = await inTurns(takingPart(EVERYONE, only), Math.min(repeats, 3), async (name) => {
        const measured = await inBrowser(name, { kind: 'smoothness', messages: 1_000, ...PACE, throttle: THROTTLES[0] })
        if (name === 'us') longest.push(measured.longest)
        return measured.script
      })
      return { ...script, 'us, longest': Math.max(...longest) }
    },
  },
]

function inBrowser(contestant, work) {
  return message('react/browser.mjs', [contestant, JSON.stringify(work)])
}

function measured(contestant, work) {
  return message('react/child.mjs', [contestant, JSON.stringify(work)])
}

function takingPart(names, only) {
  return only ? names.filter((name) => only.includes(name.split(' ')[0])) : names
}
