import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'

const MAX_OUTPUT_BYTES = 1_048_576

export interface HookProgram {
  /** Found on the PATH, or a path. With `shell` a whole command line. */
  readonly command: string
  readonly args?: readonly string[]
  /** Runs the program by the system's shell, which reads `command` and `args` as its own language. Default false. */
  readonly shell?: boolean
  /** Default: that of this process. */
  readonly cwd?: string
  /** In place of this process's own variables. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ProgramResult {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program to its end with this text as its standard input. Rejects when it cannot be started, writes more than
 * 1 MiB to one of its outputs, or the signal is aborted: then it is killed, with everything it started.
 */
export function runProgram(given: HookProgram, input: string, signal: AbortSignal): Promise<ProgramResult> {
  const { command, args = [], shell = false, cwd, env } = given
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw signal.reason
    const child = spawn(command, args, {
      shell,
      // A group of its own, so that all of it can be killed.
      detached: process.platform !== 'win32',
      ...(cwd !== undefined && { cwd }),
      ...(env !== undefined && { env }),
    })
    const end = (reason: unknown): void => {
      kill(child)
      reject(reason)
    }
    const onAbort = (): void => end(signal.reason)
    child.on('error', (error) => {
      signal.removeEventListener('abort', onAbort)
      reject(error)
    })
    // Without a file descriptor left it has no streams, and is about to say so.
    if (child.stdin === undefined) return
    signal.addEventListener('abort', onAbort)
    const tooMuch = (): void => end(new Error(`${command} wrote more than 1 MiB`))
    const stdout = collected(child.stdout, tooMuch)
    const stderr = collected(child.stderr, tooMuch)
    // A program may end without reading what it is told.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('close', (code, killedBy) => {
      signal.removeEventListener('abort', onAbort)
      resolve({ code: code ?? killedBy ?? 'no exit code', stdout: stdout(), stderr: stderr() })
    })
  })
}

function collected(stream: NodeJS.ReadableStream, tooMuch: () => void): () => string {
  const chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_OUTPUT_BYTES) tooMuch()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

function kill(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
