import type { BytesPart, ErrorInfo, InputContent, UserPart } from '@stepwell/sdk'
import { errorInfo } from '@stepwell/sdk/view'

export interface Attachment {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  /** `reading`: its bytes are not here yet. */
  readonly status: 'reading' | 'ready' | 'failed'
  /** The file it was made of: for a preview. */
  readonly file?: File
  readonly part?: UserPart | BytesPart
  /** Why it could not be read. */
  readonly error?: ErrorInfo
}

export interface DraftState {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

export const EMPTY_DRAFT: DraftState = { text: '', attachments: [] }

/** What a person is writing. It belongs to the session, and outlives the component it is written in. */
export class Draft {
  state = EMPTY_DRAFT
  readonly #listeners = new Set<() => void>()
  #count = 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get isEmpty(): boolean {
    return this.state.text.trim() === '' && this.state.attachments.length === 0
  }

  get isReady(): boolean {
    return !this.isEmpty && this.state.attachments.every(({ status }) => status === 'ready')
  }

  setText(text: string): void {
    this.#set({ ...this.state, text })
  }

  attach(files: Iterable<File>): void {
    for (const file of files) void this.#read(file)
  }

  detach(id: string): void {
    this.#set({ ...this.state, attachments: this.state.attachments.filter((attachment) => attachment.id !== id) })
  }

  /** Empties it into an input. Undefined while there is nothing to send, or something is not ready. */
  take(): InputContent | undefined {
    if (!this.isReady) return undefined
    const { text, attachments } = this.state
    this.#set(EMPTY_DRAFT)
    if (attachments.length === 0) return text
    const parts = attachments.flatMap(({ part }) => part ?? [])
    return text.trim() === '' ? parts : [{ type: 'text', text }, ...parts]
  }

  /** Puts an input before what is written already. */
  giveBack(input: InputContent): void {
    const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input
    const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []))
    const attachments = parts.flatMap((part) => (part.type === 'text' ? [] : this.#attachment(part)))
    const { state } = this
    this.#set({
      text: [...texts, state.text].filter((text) => text !== '').join('\n\n'),
      attachments: [...attachments, ...state.attachments],
    })
  }

  async #read(file: File): Promise<void> {
    const id = this.#id()
    const { name, type } = file
    const mediaType = type || 'application/octet-stream'
    this.#set({
      ...this.state,
      attachments: [...this.state.attachments, { id, name, mediaType, status: 'reading', file }],
    })
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      const part: BytesPart = { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, bytes, name }
      this.#change(id, { status: 'ready', part })
    } catch (thrown) {
      this.#change(id, { status: 'failed', error: errorInfo(thrown) })
    }
  }

  #attachment(part: Exclude<UserPart | BytesPart, { type: 'text' }>): Attachment {
    if (part.type === 'session') {
      return { id: this.#id(), name: part.title ?? part.sessionId, mediaType: '', status: 'ready', part }
    }
    return { id: this.#id(), name: part.name ?? part.type, mediaType: part.mediaType, status: 'ready', part }
  }

  #change(id: string, change: Partial<Attachment>): void {
    const attachments = this.state.attachments.map((one) => (one.id === id ? { ...one, ...change } : one))
    this.#set({ ...this.state, attachments })
  }

  #id(): string {
    this.#count++
    return `attachment-${this.#count}`
  }

  #set(state: DraftState): void {
    this.state = state
    for (const listener of [...this.#listeners]) listener()
  }
}

const drafts = new WeakMap<object, Draft>()

/** The draft of a session's view. */
export function draftOf(view: object): Draft {
  const known = drafts.get(view)
  if (known !== undefined) return known
  const draft = new Draft()
  drafts.set(view, draft)
  return draft
}
