import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface DemoProcess {
  /** Resolves with everything stdout has printed, as soon as that contains the text. Rejects when it ends without it. */
  printed(text: string): Promise<string>
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
  kill(signal: NodeJS.Signals): void
}

/** The demo as a process of its own, reading the packages' sources, with `input` piped in. */
export function startDemo(cwd: string, args: readonly string[], input: string): DemoProcess {
  const { OPENAI_API_KEY: _openai, ANTHROPIC_API_KEY: _anthropic, FORCE_COLOR: _color, ...env } = process.env
  const node = ['--conditions=@stepwell/source', '--import', import.meta.resolve('tsx'), MAIN, ...args]
  const child = spawn(process.execPath, node, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  const waiting: { text: string; resolve: (all: string) => void }[] = []
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    for (const { resolve } of waiting.filter(({ text }) => stdout.includes(text))) resolve(stdout)
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended: DemoProcess['ended'] = new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  child.stdin.end(input)
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    printed: (text) =>
      new Promise((resolve, reject) => {
        if (stdout.includes(text)) return resolve(stdout)
        waiting.push({ text, resolve })
        void ended.then(() =>
          reject(new Error(`It ended without printing ${JSON.stringify(text)}:\n${stdout}${stderr}`)),
        )
      }),
  }
}
