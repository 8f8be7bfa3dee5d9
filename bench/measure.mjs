import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { node } from './node.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Starts a script of this directory. `answer` is the first message it sends. */
function start(script, args) {
  const child = fork(here(script), args, {
    execPath: node,
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  })
  const answer = new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`${script} ${args.join(' ')} ended with ${code}`)))
  })
  return { child, answer }
}

/** Runs a script of this directory to its end, and gives the message it sends. */
export async function message(script, args) {
  const { child, answer } = start(script, args)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const value = await answer
  await ended
  return value
}

export async function withServer(work) {
  const { child, answer } = start('server.mjs', [])
  try {
    return await work(`http://127.0.0.1:${await answer}/v1`)
  } finally {
    child.disconnect()
  }
}

/**
 * The median of each contestant's `repeats` measurements, by name. They take turns, and each round begins with another
 * one, so that what else the machine does hits all alike.
 */
export async function inTurns(contestants, repeats, measureOne) {
  const times = Object.fromEntries(contestants.map((name) => [name, []]))
  for (let round = 0; round < repeats; round++) {
    for (const index of contestants.keys()) {
      const name = contestants[(index + round) % contestants.length]
      times[name].push(await measureOne(name))
    }
  }
  return Object.fromEntries(contestants.map((name) => [name, median(times[name])]))
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
