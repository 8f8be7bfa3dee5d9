import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface DemoProcess {
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
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended: DemoProcess['ended'] = new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  child.stdin.end(input)
  return { ended, kill: (signal) => void child.kill(signal) }
}
