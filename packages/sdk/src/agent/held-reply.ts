import type { LoopDetector } from '../guards/looping.ts'
import { askHooks, textOf } from '../plugins/ask-hooks.ts'
import { normaliseText } from '../protocol/json.ts'
import type { ModelEvent } from '../providers/provider.ts'
import type { Turn } from './attempt-record.ts'
import { hookHost, runHook } from './hook-host.ts'
import type { Reply } from './reply.ts'
import type { RunScope } from './run-scope.ts'

/** Something that keeps the text of a reply back until plugins have seen all of it; undefined where none wants to. */
export function heldReply(run: RunScope, turn: Turn, reply: Reply, loops: LoopDetector): HeldReply | undefined {
  const isWanted = run.runtime.plugins.some(({ hooks }) => hooks?.['transform:response'] !== undefined)
  return isWanted ? new HeldReply(run, turn, reply, loops) : undefined
}

/** Thoughts and calls pass as they come. Text comes before `done`, as the plugins want it, or never. */
class HeldReply {
  /** Whether what is held back repeats itself without an end. */
  isLooping = false
  readonly #run: RunScope
  readonly #turn: Turn
  readonly #reply: Reply
  readonly #loops: LoopDetector
  readonly #texts = new Map<number, string>()
  /** Opaque state waits as well: it may hold the text as it was. */
  readonly #states: Extract<ModelEvent, { type: 'state' }>[] = []

  constructor(run: RunScope, turn: Turn, reply: Reply, loops: LoopDetector) {
    this.#run = run
    this.#turn = turn
    this.#reply = reply
    this.#loops = loops
  }

  /** What may go on of one read. */
  async take(events: readonly ModelEvent[]): Promise<ModelEvent[]> {
    const shown: ModelEvent[] = []
    for (const event of events) {
      if (event.type === 'text') {
        const held = this.#texts.get(event.part)
        // Its place among the parts is shown at once.
        if (held === undefined) shown.push({ ...event, text: '' })
        this.#texts.set(event.part, (held ?? '') + event.text)
        this.isLooping ||= this.#loops.push(event.text)
      } else if (event.type === 'state') {
        this.#states.push(event)
      } else if (event.type === 'done') {
        const rest = await this.#rest()
        if (rest === undefined) return shown
        shown.push(...rest, event)
      } else {
        shown.push(event)
      }
    }
    return shown
  }

  /** What was held back; undefined when the run was stopped, so that nobody said what may be shown. */
  async #rest(): Promise<ModelEvent[] | undefined> {
    const texts: ModelEvent[] = []
    const changed = new Set<number>()
    for (const [part, whole] of this.#texts) {
      const text = whole === '' ? whole : await this.#transformed(whole)
      if (text === undefined) return undefined
      if (text !== whole) changed.add(part)
      texts.push({ type: 'text', part, text })
    }
    const states = this.#states.filter(({ part }) => (part === undefined ? changed.size === 0 : !changed.has(part)))
    return [...texts, ...states]
  }

  async #transformed(whole: string): Promise<string | undefined> {
    const run = this.#run
    let text = whole
    const isAsked = await askHooks(hookHost(run), 'transform:response', {
      event: () => ({ hook: 'transform:response', ...runHook(run), messageId: this.#turn.messageId, text }),
      take: (given, { name }) => {
        const next = normaliseText(textOf(given, 'text'))
        if (next === text) return undefined
        text = next
        this.#reply.warnings.push({ code: 'reply.transformed', message: `The plugin "${name}" changed a reply.` })
        return undefined
      },
    })
    return isAsked ? text : undefined
  }
}
