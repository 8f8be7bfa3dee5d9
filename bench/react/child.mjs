// One contestant doing one piece of work in a process of its own: `child.mjs <contestant> <work>`, the work as JSON.
// Sends the CPU time, ms, the renders and the frames there were. Starting, loading, and a first pass at a quarter of the size are not counted, for anyone.
import './dom.mjs'
import { setImmediate as immediate } from 'node:timers/promises'
import { begin } from './conversation.mjs'

const WARM_UP_PASSES = 2

const [name, json] = process.argv.slice(2)
const work = JSON.parse(json)
const contestant = await import(`./${name}.mjs`)
const later = () => immediate()

for (let pass = 0; pass < WARM_UP_PASSES; pass++) await burst({ ...work, deltas: Math.ceil(work.deltas / 4) })
process.send(await burst(work), () => process.exit())

/** As fast as the page takes them, each by itself. */
async function burst(work) {
  const talk = await begin(contestant, { ...work, later })
  let frames = 0
  let isOver = false
  requestAnimationFrame(function count() {
    frames++
    if (!isOver) requestAnimationFrame(count)
  })
  const before = process.cpuUsage()
  for (const chunk of talk.chunks) {
    talk.feed.write(chunk)
    await immediate()
  }
  await talk.end()
  const ms = cpuSince(before)
  isOver = true
  const { renders } = talk.counted
  talk.leave()
  return { ms, renders, frames }
}

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
