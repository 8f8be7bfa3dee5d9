import { createInterface } from 'node:readline'

export type Answer = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'interrupt' | 'end' }

export interface PromptOptions {
  /** Earlier answers, newest first. */
  readonly history?: readonly string[]
  /** Takes the question back: the answer is then `interrupt`. */
  readonly signal?: AbortSignal
}

/**
 * Asks for a line. Several lines that come at once, as a paste does, are one answer. Ctrl-C clears what was typed; with
 * nothing typed it is `interrupt`. Ctrl-D is `end`.
 */
export function ask(question: string, { history = [], signal }: PromptOptions = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const { stdin: input, stdout: output } = process
    const readline = createInterface({ input, output, prompt: question, history: [...history] })
    const lines: string[] = []
    let isSettled = false

    function settle(answer: Answer): void {
      isSettled = true
      signal?.removeEventListener('abort', takeBack)
      readline.close()
      resolve(answer)
    }
    function takeBack(): void {
      output.write('\n')
      settle({ kind: 'interrupt' })
    }

    readline.on('line', (line) => {
      if (lines.push(line) > 1) return
      // The rest of a paste comes in the same read.
      setImmediate(() => settle({ kind: 'text', text: [...lines, readline.line].join('\n').trim() }))
    })
    readline.on('SIGINT', () => {
      if (readline.line === '') return takeBack()
      readline.write(null, { ctrl: true, name: 'e' })
      readline.write(null, { ctrl: true, name: 'u' })
    })
    readline.on('close', () => {
      if (isSettled || lines.length > 0) return
      output.write('\n')
      settle({ kind: 'end' })
    })
    if (signal?.aborted) return takeBack()
    signal?.addEventListener('abort', takeBack)
    readline.prompt()
  })
}

/** Tells of every Ctrl-C until it is stopped. What else is typed meanwhile is not shown. */
export function onInterrupt(interrupted: () => void): () => void {
  const { stdin } = process
  const onData = (data: Buffer): void => {
    if (data.includes(3)) interrupted()
  }
  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  return () => {
    stdin.off('data', onData)
    stdin.pause()
    stdin.setRawMode(false)
  }
}
