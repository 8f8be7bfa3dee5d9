import type { AgentEvent, FinishReason } from '@stepwell/sdk'

/** What is said of what happens. Every text may be replaced, for instance by a translation. */
export interface AnnouncerWords {
  readonly working: string
  readonly reply: (firstSentence: string) => string
  readonly stopped: string
  readonly ended: (reason: FinishReason) => string
  readonly failed: (message: string) => string
  readonly approval: (title: string) => string
  readonly question: (question: string) => string
  readonly task: (title: string, state: 'done' | 'failed') => string
  readonly reconnected: string
  readonly disconnected: string
}

export const ENGLISH: AnnouncerWords = {
  working: 'Working.',
  reply: (firstSentence) => `Reply complete. ${firstSentence}`.trim(),
  stopped: 'Stopped.',
  ended: (reason) => `Ended: ${reason}.`,
  failed: (message) => `Failed: ${message}`,
  approval: (title) => `Approval needed: ${title}`,
  question: (question) => `Question: ${question}`,
  task: (title, state) => `${title}: ${state}.`,
  reconnected: 'Connected again.',
  disconnected: 'Connection lost.',
}

export interface Announcement {
  readonly text: string
  /** Said at once, and over what is being said. */
  readonly isUrgent: boolean
}

/** What to say of an event. `reply` is the text of the last reply. */
export function announcementOf(
  event: AgentEvent,
  words: AnnouncerWords,
  reply: () => string,
): Announcement | undefined {
  switch (event.type) {
    case 'run-start':
      return calm(words.working)
    case 'finish':
      if (event.reason === 'stop') return calm(words.reply(firstSentence(reply())))
      if (event.reason === 'aborted') return calm(words.stopped)
      if (event.reason === 'error') return urgent(words.failed(event.error?.message ?? ''))
      return calm(words.ended(event.reason))
    case 'request': {
      const { kind, description, tool, questions } = event.request
      if (kind === 'client-tool') return undefined
      if (kind === 'question') return urgent(words.question(questions?.[0]?.question ?? ''))
      return urgent(words.approval(description?.title ?? tool?.name ?? ''))
    }
    case 'task': {
      const { state, title, kind } = event.task
      return state === 'done' || state === 'failed' ? calm(words.task(title ?? kind, state)) : undefined
    }
    default:
      return undefined
  }
}

/** Longer ones are cut: the whole reply is in the transcript. */
const MAX_SENTENCE = 200

function firstSentence(text: string): string {
  const sentence = /^.*?([。！？]|[.!?؟](?=\s|$))/s.exec(text.trim())?.[0] ?? text.trim()
  return sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE).trimEnd()}…` : sentence
}

function calm(text: string): Announcement {
  return { text, isUrgent: false }
}

function urgent(text: string): Announcement {
  return { text, isUrgent: true }
}
