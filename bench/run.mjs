// Measures, prints a table or JSON, and exits with 1 when a row is over its limit or behind a peer. See README.md.
import { parseArgs } from 'node:util'
import { GROUPS, PEERS } from './rows.mjs'
import { printTable } from './table.mjs'

const { values: options, positionals: groups } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    work: { type: 'string' },
    only: { type: 'string' },
    repeats: { type: 'string', default: '5' },
  },
})
for (const group of groups) if (!(group in GROUPS)) stop(`${group}: there are ${Object.keys(GROUPS).join(', ')}`)
const jobs = Object.keys(GROUPS)
  .filter((group) => groups.length === 0 || groups.includes(group))
  .flatMap((group) => GROUPS[group])
const works = listed(
  options.work,
  jobs.flatMap((job) => job.rows.map(({ work }) => work)),
  '--work',
)
const only = listed(options.only, ['us', 'floor', ...PEERS], '--only')
const repeats = Number(options.repeats)
if (!(Number.isInteger(repeats) && repeats > 0)) stop('--repeats is a whole number above 0')

const rows = []
for (const job of jobs) {
  const wanted = job.rows.filter(({ work }) => works === undefined || works.includes(work))
  if (wanted.length === 0) continue
  console.error(`measuring ${wanted.map(({ work }) => work).join(', ')}`)
  const figures = await job.measure({ repeats, only })
  rows.push(...wanted.map((row) => filled(row, figures)))
}
if (options.json) {
  const fields = rows.map(({ work, us, floor, ratio, limit, peers }) => ({ work, us, floor, ratio, limit, peers }))
  console.log(JSON.stringify({ rows: fields }, null, 2))
} else printTable(rows, PEERS)
if (rows.some(({ isOver, behind }) => isOver || behind.length > 0)) process.exitCode = 1

function filled({ work, unit, us: ours = 'us', floor: against = 'floor', bound, limit = 1, peers: rivals }, figures) {
  const us = figures[ours]
  const floor = bound ?? figures[against]
  const ratio = us / floor
  const peers = Object.fromEntries(rivals.filter((name) => name in figures).map((name) => [name, figures[name]]))
  const behind = Object.keys(peers).filter((name) => us >= peers[name])
  return {
    work,
    unit,
    us,
    floor,
    ratio,
    limit,
    peers,
    isOver: ratio > limit,
    behind,
    bareFloor: bound && figures.floor,
  }
}

function listed(text, known, option) {
  const names = text?.split(',')
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) stop(`${option} ${unknown}: there are ${known.join(', ')}`)
  return names
}

function stop(message) {
  console.error(message)
  process.exit(2)
}
