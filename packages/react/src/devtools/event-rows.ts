import { type AgentEvent, displayText, isDelta, type Message } from '@stepwell/sdk'
import { moneyText, tokensText } from './format.ts'

export const KINDS = ['runs', 'messages', 'deltas', 'tools', 'people', 'usage', 'other'] as const

/** What a filter lets through. */
export type EventKind = (typeof KINDS)[number]

/** Events that are shown as one: the last of them is the place to go to. */
export interface EventRow {
  /** The seq of the first one: the row stays itself while deltas are added to it. */
  readonly id: number
  readonly event: AgentEvent
  /** Of the last one, among all events. */
  readonly index: number
  readonly count: number
  readonly kind: EventKind
  readonly summary: string
}

/** The rows of a log, deltas of one part together. `text` is looked for in all that an event says. */
export function eventRows(events: readonly AgentEvent[], kinds: ReadonlySet<EventKind>, text: string): EventRow[] {
  const wanted = text.trim().toLowerCase()
  const rows: EventRow[] = []
  events.forEach((event, index) => {
    const kind = kindOf(event)
    if (!kinds.has(kind)) return
    if (wanted !== '' && !JSON.stringify(event).toLowerCase().includes(wanted)) return
    const last = rows.at(-1)
    if (last !== undefined && last.index === index - 1 && isSamePart(last.event, event)) {
      const summary = cut(`${last.summary}${isDelta(event) ? event.text : ''}`)
      rows[rows.length - 1] = { ...last, index, event, count: last.count + 1, summary }
      return
    }
    rows.push({ id: event.seq, event, index, count: 1, kind, summary: summaryOf(event) })
  })
  return rows
}

function isSamePart(a: AgentEvent, b: AgentEvent): boolean {
  return isDelta(a) && isDelta(b) && a.type === b.type && a.part === b.part
}

function kindOf(event: AgentEvent): EventKind {
  switch (event.type) {
    case 'run-start':
    case 'turn-start':
    case 'finish':
    case 'abort':
      return 'runs'
    case 'message':
    case 'history':
    case 'compaction':
    case 'rewound':
      return 'messages'
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return 'deltas'
    case 'tool-call':
    case 'tool-start':
    case 'tool-output':
    case 'tool-result':
      return 'tools'
    case 'input':
    case 'input-changed':
    case 'input-returned':
    case 'request':
    case 'request-resolved':
      return 'people'
    case 'usage':
      return 'usage'
    default:
      return 'other'
  }
}

const SUMMARY_LENGTH = 80

/** The few words that tell one event from the next of its type. */
function summaryOf(event: AgentEvent): string {
  return cut(wordsOf(event))
}

function cut(text: string): string {
  const words = text.replaceAll(/\s+/g, ' ').trimStart()
  return words.length > SUMMARY_LENGTH ? `${words.slice(0, SUMMARY_LENGTH - 1)}…` : words
}

function callNames(message: Message): string {
  if (message.role !== 'assistant') return ''
  return message.parts.flatMap((part) => (part.type === 'tool-call' ? `${part.toolName}()` : [])).join(' ')
}

function wordsOf(event: AgentEvent): string {
  switch (event.type) {
    case 'session-created':
      return event.title ?? ''
    case 'input':
      return `${event.lane}: ${event.parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')}`
    case 'run-start':
      return `${event.trigger} ${event.runId}`
    case 'turn-start':
      return `turn ${event.turn}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}, ${event.model.model}`
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return event.text
    case 'message':
      return `${event.message.role}: ${displayText(event.message)} ${callNames(event.message)}`
    case 'usage':
      return [tokensText(event.call), event.call.cost && moneyText(event.call.cost), event.stop]
        .filter(Boolean)
        .join(', ')
    case 'tool-call':
    case 'tool-start':
      return event.toolName
    case 'tool-output':
      return event.text
    case 'tool-result':
      return `${event.result.toolName}: ${event.result.outcome}`
    case 'request':
      return `${event.request.kind} ${event.request.tool?.name ?? ''}`
    case 'request-resolved':
      return event.resolution.decision ?? event.reason
    case 'notice':
      return event.text
    case 'task':
      return `${event.task.title ?? event.task.kind}: ${event.task.state}`
    case 'finish':
      return event.error === undefined ? event.reason : `${event.reason}: ${event.error.message}`
    default:
      return ''
  }
}
