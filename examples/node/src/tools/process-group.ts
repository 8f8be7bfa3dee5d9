import { type ChildProcess, spawn } from 'node:child_process'

/** How long a stopped command may tidy up, and how long output may still come when it is over, in ms. */
const GRACE_MS = 2_000
const LAST_OUTPUT_MS = 250

/** Not for the programs a model starts. */
const SECRETS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']

export interface CommandOptions {
  readonly cwd: string
  /** Ends the command and everything it started. */
  readonly signal: AbortSignal
  onOutput(text: string): void
}

/** Runs a shell command in a process group of its own. Resolves when it is over: with its exit code, or what killed it. */
export function runInGroup(command: string, { cwd, signal, onOutput }: CommandOptions): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SECRETS.includes(name)))
  return new Promise((resolve, reject) => {
    const isPosix = process.platform !== 'win32'
    const child = spawn(command, { shell: true, cwd, env, detached: isPosix, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput)
    let force: NodeJS.Timeout | undefined
    const stop = (): void => {
      killGroup(child, 'SIGTERM')
      force = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
    }
    const killNow = (): void => killGroup(child, 'SIGKILL')

    child.on('error', reject)
    child.on('exit', () => {
      clearTimeout(force)
      signal.removeEventListener('abort', stop)
      process.off('exit', killNow)
      // What it left behind would keep its output open for ever.
      killNow()
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, LAST_OUTPUT_MS).unref()
    })
    child.on('close', (code, killedBy) => resolve(killedBy ? `killed by ${killedBy}` : `exit code ${code}`))

    process.on('exit', killNow)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** A group that is gone is what we want. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {}
}
