import { describe, expect, it } from 'vitest'
import { type PageMessage, readChunks } from '../../../test/fixtures/ai-pages.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import { reduce } from '../../protocol/reduce.ts'
import { initialState, type SessionState } from '../../protocol/state.ts'
import { type Choose, chances, randomStep } from '../../testing/random-steps.ts'
import { endOf } from './ending.ts'
import { hadParts } from './had-parts.ts'
import { answerTo, isAside } from './questions.ts'
import { replyAt } from './reply.ts'
import { ReplyWriter } from './reply-writer.ts'
import type { AIVersion, UIChunk } from './ui-chunk.ts'

const HISTORIES = process.env.STEPWELL_DEEP ? 2_000 : 20
const STEPS = 60
const fileUrl = () => 'blob'

/** One page on one reply: as many responses as it takes, and the message it makes of them. */
class Page {
  readonly version: AIVersion
  readonly #after: string | undefined
  readonly #runId: string
  #writer: ReplyWriter
  #chunks: UIChunk[] = []
  #message: PageMessage | undefined

  constructor(version: AIVersion, { history }: SessionState, runId: string) {
    this.version = version
    this.#runId = runId
    this.#after = history.findLast(({ role }) => role === 'user')?.id
    this.#writer = new ReplyWriter({ version })
  }

  isOver({ run }: SessionState): boolean {
    return run?.id !== this.#runId
  }

  look(state: SessionState): void {
    const questions = state.pending.requests.filter(isAside)
    this.#chunks.push(...this.#writer.write(this.#reply(state)))
    this.#chunks.push(...this.#writer.ask(questions, (id) => answerTo(state, id)))
  }

  /** The response ends here; the next one goes on with the message as the page has it. */
  async post(): Promise<void> {
    await this.#end([{ type: 'finish', finishReason: 'tool-calls' }])
    const message = this.#message
    if (message === undefined) return
    const continues = { id: message.id, parts: hadParts(message as Parameters<typeof hadParts>[0]) }
    this.#writer = new ReplyWriter({ version: this.version, continues })
  }

  /** What it has in the end, and what it should have. */
  async compare(state: SessionState): Promise<{ readonly shown: string[]; readonly expected: string[] }> {
    this.look(state)
    await this.#end(state.lastFinish ? endOf({ ...state.lastFinish, reason: 'stop' }) : [])
    const { id, parts } = this.#reply(state)
    return { shown: told(this.#message?.parts ?? []), expected: id === undefined ? [] : told(parts) }
  }

  #reply(state: SessionState) {
    return replyAt(state, { after: this.#after, runId: this.#runId }, fileUrl)
  }

  async #end(ending: readonly UIChunk[]): Promise<void> {
    const chunks = [...this.#chunks, ...this.#writer.finish()]
    this.#chunks = []
    if (chunks.length > 0) this.#message = await readChunks(this.version, [...chunks, ...ending], this.#message)
  }
}

/** What a person sees of a message. */
function told(parts: readonly object[]): string[] {
  return (parts as Record<string, unknown>[]).flatMap(({ type, text, toolCallId, state, id }) => {
    if (type === 'step-start') return []
    if (text !== undefined) return text === '' ? [] : [`${type}: ${text}`]
    return [`${type} ${toolCallId ?? id} ${toolCallId === undefined ? '' : state}`]
  })
}

/** All that was said, in whichever order and pieces. */
function letters(lines: readonly string[]): string {
  return [...lines.map((line) => line.replace(/^(text|reasoning): /, '')).join('')].sort().join('')
}

async function history(seed: number): Promise<void> {
  // Neighbouring seeds begin with the same chances.
  const choose: Choose = chances(Math.imul(seed, 0x9e3779b1))
  let minted = 0
  let state = initialState('s')
  let seq = 0
  let pages: Page[] = []
  let attempts = 0
  for (let i = 0; i < STEPS; i++) {
    const drafts = randomStep(state, choose, (prefix) => `${prefix}_${++minted}`)
    const events = drafts.map((draft) => ({ ...draft, seq: ++seq, at: seq }) as AgentEvent)
    state = reduce(state, events)
    if (events.some(({ type }) => type === 'run-start')) attempts = 0
    if (events.some((event) => event.type === 'turn-start' && event.attempt > 1)) attempts++
    if (state.run !== undefined && choose(6) === 0 && pages.length < 4) {
      pages.push(new Page(choose(2) === 0 ? 6 : 7, state, state.run.id))
    }
    for (const page of pages) {
      if (page.isOver(state)) {
        const { shown, expected } = await page.compare(state)
        if (page.version === 7) expect(shown).toEqual(expected)
        // It cannot take back what it was told.
        else if (attempts === 0) expect(letters(shown)).toBe(letters(expected))
        else expect(shown).toEqual(expect.arrayContaining(expected.filter((line) => line.startsWith('tool-'))))
      } else if (choose(3) > 0) {
        page.look(state)
        if (page.version === 7 && choose(12) === 0) await page.post()
        else if (state.status === 'waiting' && choose(2) === 0) await page.post()
      }
    }
    pages = pages.filter((page) => !page.isOver(state))
  }
}

describe('a page that joins anywhere, is cut anywhere and looks now and then', () => {
  it.each([0, 1, 2, 3])('takes every chunk, and ends with the reply: histories %i', async (part) => {
    for (let seed = part * HISTORIES + 1; seed <= (part + 1) * HISTORIES; seed++) {
      await history(seed).catch((thrown) => {
        throw new Error(`seed ${seed}: ${thrown}`, { cause: thrown })
      })
    }
  })
})
