import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inTurns, message, withServer } from './measure.mjs'
import { JOBS as REACT } from './react/rows.mjs'
import { JOBS as WIRE } from './wire/rows.mjs'
import { expected } from './work/replies.mjs'

export const PEERS = ['ai', 'openai-agents', 'tanstack-ai', 'pi-agent-core']

const TURNS = 60

/**
 * What is measured. Each job gives one or more rows: `measure` resolves to the figures of everyone in it, by name, and
 * a row takes from them who is us and what we are held against: another figure, or a `bound` in the row's unit.
 * Contestants named in `only` take part; everyone when it is undefined.
 */
const JOBS = [
  {
    rows: [{ work: 'text', unit: 'ms', limit: 1.6, peers: PEERS }],
    measure: (options) => cpuTimes(streamed(['floor', 'us', ...PEERS], 'text:40000'), options),
  },
  {
    rows: [{ work: 'text-paced', unit: 'ms', limit: 1.6, peers: PEERS }],
    measure: (options) => cpuTimes(streamed(['floor', 'us', ...PEERS], 'text:1000:paced'), options),
  },
  {
    rows: [{ work: 'tool-input', unit: 'ms', limit: 2, peers: PEERS }],
    measure: (options) => cpuTimes(streamed(['floor', 'us', ...PEERS], 'tool-input:8000'), options),
  },
  {
    // Four times the deltas cost four times as much: both are warmed up by the same.
    rows: [{ work: 'tool-input-linear', unit: 'ms', floor: 'us with 2,000', limit: 4.4, peers: [] }],
    measure(options) {
      const { us } = streamed(['us'], 'tool-input:8000', 'tool-input:2000')
      const { us: shorter } = streamed(['us'], 'tool-input:2000')
      return cpuTimes({ us, 'us with 2,000': shorter }, options)
    },
  },
  {
    rows: [
      { work: 'loop', unit: 'ms/turn', bound: 2, peers: PEERS },
      { work: 'loop-sqlite', unit: 'ms/turn', us: 'us-sqlite', bound: 2, peers: PEERS },
    ],
    async measure(options) {
      const loop = streamed(['floor', 'us', 'us-sqlite', ...PEERS], `loop:${TURNS}`, `loop:${TURNS / 4}`)
      return mapValues(await cpuTimes(loop, options), (ms) => ms / TURNS)
    },
  },
  {
    rows: [{ work: 'import', unit: 'ms', bound: 60, peers: PEERS }],
    measure: ({ repeats, only }) =>
      inTurns(takingPart(['us', ...PEERS], only), repeats, async (name) => {
        return (await message('import.mjs', [`./${fileOf(name)}`])).ms
      }),
  },
  {
    rows: [
      { work: 'bundle', unit: 'KB', bound: 35, peers: PEERS },
      { work: 'bundle-without-zod', unit: 'KB', us: 'us without zod', bound: 22, peers: [] },
    ],
    // The same every time: once is enough.
    measure: ({ only }) =>
      withServer((baseURL) =>
        inTurns(takingPart(['us', 'us without zod', ...PEERS], only), 1, (name) => {
          return name === 'us without zod'
            ? message('bundle.mjs', ['apps/us.mjs', baseURL, 'zod/*'])
            : message('bundle.mjs', [`apps/${name}.mjs`, baseURL])
        }),
      ),
  },
  {
    rows: [
      { work: 'open', unit: 'ms', limit: 2, peers: [] },
      { work: 'open-snapshot', unit: 'ms', us: 'us with a snapshot', limit: 0.3, peers: [] },
    ],
    measure: (options) =>
      withFiles(['2500', '10000'], (directory) => {
        const opening = (module, suffix = '') => ({
          module,
          warmUp: { file: join(directory, `2500${suffix}.db`) },
          work: { file: join(directory, `10000${suffix}.db`) },
          expected: { messages: 10_000 },
        })
        const contestants = {
          floor: opening('./open/floor.mjs'),
          us: opening('./open/us.mjs'),
          'us with a snapshot': opening('./open/us.mjs', '-snapshot'),
        }
        return cpuTimes(contestants, options)
      }),
  },
  {
    rows: [{ work: 'abort', unit: 'ms wall', bound: 20, peers: [] }],
    measure: ({ repeats, only }) =>
      withServer((baseURL) => inTurns(takingPart(['us'], only), repeats, () => message('abort.mjs', [baseURL]))),
  },
]

/** By what they are about; `npm run bench -- NAME` measures one. */
export const GROUPS = { agent: JOBS, react: REACT, wire: WIRE }

/** Contestants that read the streams of the server, each warmed up by the work itself where nothing else is said. */
function streamed(names, model, warmUp = model) {
  const contestant = (name) => ({
    module: `./${fileOf(name)}`,
    warmUp: { model: warmUp },
    work: { model },
    expected: expected(model),
  })
  return Object.fromEntries(names.map((name) => [name, contestant(name)]))
}

function fileOf(name) {
  return PEERS.includes(name) ? `peers/${name}.mjs` : `${name}.mjs`
}

function cpuTimes(contestants, { repeats, only }) {
  return withServer((baseURL) =>
    inTurns(takingPart(Object.keys(contestants), only), repeats, async (name) => {
      const { module, warmUp, work, expected } = contestants[name]
      const args = [warmUp, work].map((input) => JSON.stringify({ ...input, baseURL }))
      const { ms, seen } = await message('child.mjs', [module, ...args])
      check(name, seen, expected)
      return ms
    }),
  )
}

function check(name, seen, expected) {
  for (const key in expected) {
    if (seen[key] !== expected[key]) throw new Error(`${name} saw ${key} ${seen[key]}, not ${expected[key]}`)
  }
}

/** `us` stands for all of ours. */
function takingPart(names, only) {
  return only ? names.filter((name) => only.includes(name) || (only.includes('us') && name.startsWith('us'))) : names
}

async function withFiles(sizes, work) {
  const directory = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
  try {
    await message('open/prepare.mjs', [directory, ...sizes])
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
