import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { node } from '../node.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' }

function started(script, args, execArgv = []) {
  const child = fork(here(script), args, { execPath: node, execArgv, env })
  const waiting = []
  const come = []
  child.on('message', (message) => (waiting.length > 0 ? waiting.shift().resolve(message) : come.push(message)))
  child.on('exit', (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${script} ${args.join(' ')} ended with ${code}`))
  })
  const next = () =>
    come.length > 0
      ? Promise.resolve(come.shift())
      : new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  return { child, next }
}

/** A server of the given module, for as long as the work takes. */
export async function withServer(module, work) {
  const { child, next } = started('process.mjs', [module], ['--expose-gc'])
  try {
    const { port } = await next()
    const ask = async (name, what) => {
      child.send([name, what])
      return (await next()).answer
    }
    return await work({ port, ask })
  } finally {
    child.disconnect()
  }
}

/** So many readers of a server, connected and each with its first frame. `finished` resolves when all saw the last words. */
export async function withReaders({ port, ask }, { count, last, after }, work) {
  const path = `/sessions/s/events?after=${after ?? (await ask('head'))}`
  const { child, next } = started('readers.mjs', [port, path, count, last].map(String))
  try {
    await next()
    return await work({ finished: next })
  } finally {
    child.disconnect()
  }
}

/** Readers that check what they read, of many sessions. `report` says what they saw so far. */
export async function withWatchers({ port }, { sessions, each }, work) {
  const { child, next } = started('watchers.mjs', [port, sessions, each].map(String))
  try {
    await next()
    const report = async () => {
      child.send('report')
      return next()
    }
    return await work({ report })
  } finally {
    child.disconnect()
  }
}
