import type { Request, Resolution } from '../../protocol/requests.ts'
import { QUESTION_TOOL, questionPart } from './questions.ts'
import type { Reply } from './reply.ts'
import { align, isEarlier, isWhole, type ShownPart } from './shown-parts.ts'
import { isBehind, toolChunks } from './tool-chunks.ts'
import type { AIVersion, UIChunk } from './ui-chunk.ts'
import { isTextPart, isToolPart, type UIPart, type UITextPart, type UIToolPart } from './ui-message.ts'

export interface ReplyWriterOptions {
  readonly version: AIVersion
  /** The message of the page that goes on, and what it has. */
  readonly continues?: { readonly id: string; readonly parts: readonly UIPart[] }
}

/**
 * Says a reply to a page that may have some of it: each time, the chunks that turn what the page has into the reply as it
 * is now. So it does not matter how often it is asked, or what happened in between.
 */
export class ReplyWriter {
  readonly #version: AIVersion
  readonly #continues: ReplyWriterOptions['continues']
  #shown: ShownPart[] = []
  #chunks: UIChunk[] = []
  #hasStarted = false
  #isInStep = false
  /** A text of the last step went on after the part behind it had begun: the page has it in two pieces. */
  #isSplit = false
  #texts = 0

  constructor({ version, continues }: ReplyWriterOptions) {
    this.#version = version
    this.#continues = continues
  }

  write(reply: Reply): UIChunk[] {
    if (!this.#hasStarted && !this.#start(reply)) return []
    this.#say(reply.parts)
    if (this.#isSplit && !reply.isStreaming) this.#sayStepAgain(reply.parts)
    return this.#take()
  }

  /** Questions of running tools: they are no part of the reply, and stand after it. */
  ask(questions: readonly Request[], answerTo: (requestId: string) => Resolution | undefined): UIChunk[] {
    if (!this.#hasStarted) return []
    const open = new Set(questions.map(({ id }) => id))
    const asked = this.#shown.filter((shown) => shown.isExtra && shown.part.type === `tool-${QUESTION_TOOL}`)
    for (const shown of asked) {
      const part = shown.part as UIToolPart
      if (part.state !== 'input-available' || open.has(part.toolCallId)) continue
      const { answers = {}, skipped } = answerTo(part.toolCallId) ?? { skipped: true }
      this.#turn(shown, { ...part, state: 'output-available', output: { answers, ...(skipped && { skipped }) } })
    }
    const known = new Set(asked.map(({ part }) => (part as UIToolPart).toolCallId))
    const added = questions.filter(({ id }) => !known.has(id))
    if (added.length > 0 && !this.#isAskingStep()) {
      this.#open({ type: 'step-start' })
      this.#markExtra()
    }
    for (const question of added) {
      this.#open(questionPart(question))
      this.#markExtra()
    }
    return this.#take()
  }

  /** An empty step: the calls before it are not the last word, so a page does not send their results by itself. */
  emptyStep(): UIChunk[] {
    this.#open({ type: 'step-start' })
    this.#markExtra()
    return this.#take()
  }

  /** Closes what is open. */
  finish(): UIChunk[] {
    for (const shown of this.#shown) this.#close(shown)
    if (this.#isInStep) this.#chunks.push({ type: 'finish-step' })
    this.#isInStep = false
    return this.#take()
  }

  #start({ id, createdAt, parts }: Reply): boolean {
    const messageId = this.#continues?.id ?? id
    if (messageId === undefined) return false
    this.#hasStarted = true
    const metadata = this.#continues === undefined ? { messageMetadata: { createdAt } } : {}
    this.#chunks.push({ type: 'start', messageId, ...metadata })
    this.#shown = align(this.#continues?.parts ?? [], parts)
    const step = this.#shown.slice(this.#lastStep() + 1).map(({ part }) => part)
    // What the page has of a step that was cut may have been taken back meanwhile.
    if (step.length > 0 && !isWhole(step)) this.#resetStep()
    return true
  }

  #say(parts: readonly UIPart[]): void {
    let at = 0
    for (const part of parts) {
      while (this.#shown[at]?.isExtra) at++
      const shown = this.#shown[at]
      if (shown === undefined) {
        // What follows has to wait too: a page keeps parts in the order they came.
        if (part.type === 'tool-') return
        if (part.type === 'step-start' && this.#isSplit) return this.#sayStepAgain(parts)
        this.#open(part)
      } else if (isEarlier(shown.part, part)) {
        this.#turn(shown, part)
      } else {
        this.#takeBack(at)
        return this.#say(parts)
      }
      at++
    }
    while (this.#shown[at]?.isExtra) at++
    if (at < this.#shown.length) this.#takeBack(at)
  }

  /** In one piece, where a page can be told to forget what it has. */
  #sayStepAgain(parts: readonly UIPart[]): void {
    this.#resetStep()
    this.#say(parts)
  }

  #open(part: UIPart): void {
    if (part.type === 'step-start') {
      if (this.#isInStep) this.#chunks.push({ type: 'finish-step' })
      this.#isInStep = true
      this.#isSplit = false
      this.#chunks.push({ type: 'start-step' })
      this.#shown.push({ part })
    } else if (isTextPart(part)) {
      const shown: ShownPart = { part: { type: part.type, text: '' } }
      this.#shown.push(shown)
      this.#openText(shown, part)
      this.#turn(shown, part)
    } else if (isToolPart(part)) {
      this.#chunks.push(...toolChunks(undefined, part, this.#version))
      this.#shown.push({ part })
    } else {
      this.#chunks.push(
        part.type === 'file' ? { type: 'file', url: part.url, mediaType: part.mediaType } : ({ ...part } as UIChunk),
      )
      this.#shown.push({ part })
    }
  }

  #turn(shown: ShownPart, part: UIPart): void {
    if (isToolPart(part)) {
      const before = shown.part as UIToolPart
      if (isBehind(part, before)) return
      this.#chunks.push(...toolChunks(before, part, this.#version))
    } else if (isTextPart(part)) this.#turnText(shown, shown.part as UITextPart, part)
    shown.part = part
  }

  #turnText(shown: ShownPart, before: UITextPart, part: UITextPart): void {
    const delta = part.text.slice(before.text.length)
    if (delta !== '') {
      if (shown.openId === undefined) {
        this.#isSplit = true
        this.#openText(shown, part)
      }
      this.#chunks.push({ type: `${part.type}-delta`, id: shown.openId as string, delta })
    }
    if (part.state !== 'streaming') this.#close(shown)
  }

  #openText(shown: ShownPart, { type }: UITextPart): void {
    shown.openId = `${type}-${++this.#texts}`
    this.#chunks.push({ type: `${type}-start`, id: shown.openId })
  }

  #close(shown: ShownPart): void {
    if (shown.openId === undefined || !isTextPart(shown.part)) return
    this.#chunks.push({ type: `${shown.part.type}-end`, id: shown.openId })
    delete shown.openId
  }

  /** The reply was begun again: what the page has from here on is void. */
  #takeBack(from: number): void {
    const step = this.#lastStep()
    if (this.#version >= 7 && from > step) return this.#resetStep()
    for (const shown of this.#shown.slice(from)) {
      if (shown.isExtra) continue
      this.#close(shown)
      if (isToolPart(shown.part) && !shown.part.state.startsWith('output-')) {
        const { toolCallId } = shown.part
        this.#chunks.push({ type: 'tool-output-error', toolCallId, errorText: 'The reply was begun again.' })
      }
      shown.isExtra = true
    }
  }

  #resetStep(): void {
    this.#isSplit = false
    if (this.#version < 7) return
    for (const shown of this.#shown) delete shown.openId
    this.#shown = this.#shown.slice(0, this.#lastStep() + 1)
    this.#chunks.push({ type: 'reset-step' })
  }

  #lastStep(): number {
    return this.#shown.findLastIndex(({ part }) => part.type === 'step-start')
  }

  #isAskingStep(): boolean {
    return this.#shown[this.#lastStep()]?.isExtra === true
  }

  #markExtra(): void {
    const shown = this.#shown.at(-1)
    if (shown !== undefined) shown.isExtra = true
  }

  #take(): UIChunk[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}
