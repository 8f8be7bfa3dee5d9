// An agent wholly in the page: the loop, the tools and the store. Nothing here asks the network for anything.
import {
  createAgent,
  defineTool,
  displayText,
  type Message,
  type ModelRequest,
  messageText,
  type Session,
} from '@stepwell/sdk'
import { indexedDBStore } from '@stepwell/sdk/indexeddb'
import { type ScriptedReply, scriptedModel } from '@stepwell/sdk/testing'
import { createSessionView, type MessageItem, type SessionView } from '@stepwell/sdk/view'

const PAUSE_MS = 40
const LIST = 'shopping'

/** What the tools change is the page's own: here it is in `localStorage`, beside the log. */
const readList = (): string[] => JSON.parse(localStorage.getItem(LIST) ?? '[]')
const writeList = (items: readonly string[]): void => localStorage.setItem(LIST, JSON.stringify(items))

const input = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] } as const

const addItem = defineTool<{ item: string }>({
  name: 'add_item',
  description: 'Puts something on the shopping list',
  input,
  effect: 'write',
  execute({ item }) {
    writeList([...readList(), item])
    return `${item} is on the list.`
  },
})

const clearList = defineTool({
  name: 'clear_list',
  description: 'Empties the shopping list',
  input: { type: 'object', properties: {} },
  effect: 'write',
  needsApproval: true,
  describeEffect: () => ({ title: 'Empty the list' }),
  execute() {
    writeList([])
    return 'The list is empty.'
  },
})

/** A model that needs no model. Put `openai('…', { baseURL })` of a model on your machine in its place. */
const model = scriptedModel([(request) => ({ ...replyTo(request), between: pause })], { repeat: true })

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}

function replyTo({ messages }: ModelRequest): ScriptedReply {
  const results = messages.slice(-1).flatMap(resultsOf)
  if (results.length > 0) return { text: results.join(' ') }
  const asked = messages.findLast(({ role }) => role === 'user')
  const said = asked === undefined ? '' : messageText(asked).trim()
  const items = /^buy (.+)$/i.exec(said)?.[1]?.split(/, | and /) ?? []
  if (items.length > 0)
    return { text: 'On the list:', calls: items.map((item) => ({ name: 'add_item', input: { item } })) }
  if (/clear|empty/i.test(said)) return { text: 'If you say so.', calls: [{ name: 'clear_list' }] }
  return { text: `${WHAT_I_KNOW} This was message ${messages.length} of ours.` }
}

const WHAT_I_KNOW = `I only know shopping: say “buy milk and bread”, or “clear the list”. But I remember. All that we say is in this browser’s IndexedDB, where a reload finds it. Close this tab in the middle of the sentence, open it again, and let me go on.`

function resultsOf(message: Message): string[] {
  if (message.role !== 'assistant') return []
  return message.parts.flatMap((part) => (part.type === 'tool-call' ? String(part.result?.output ?? '') : []))
}

const agent = createAgent({ model, tools: [addItem, clearList], store: indexedDBStore('stepwell-example') })

agent.session('page').then(begin, (error: unknown) => {
  element('#status').textContent = `This browser keeps nothing here: ${String(error)}`
})

function begin(session: Session): void {
  const view = createSessionView(session)
  const form = document.querySelector('form') as HTMLFormElement
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const field = form.elements.namedItem('text') as HTMLInputElement
    if (field.value.trim() !== '') void view.send(field.value)
    field.value = ''
  })
  element('#stop').addEventListener('click', () => void view.stop())
  element('#go-on').addEventListener('click', () => session.continue())
  view.subscribe(() => render(view))
  render(view)
}

const shown = new Map<string, { readonly item: MessageItem; readonly node: HTMLElement }>()

/** All that is shown follows from the view, whether it was there before the page was loaded or came just now. */
function render(view: SessionView): void {
  const { messages, status, canStop, lastFinish, connection } = view.getSnapshot()
  const wasAtEnd = isAtEnd()
  element('#messages').replaceChildren(...messages.map(nodeOf), ...requests(view))
  element('#list').replaceChildren(...readList().map((item) => made('li', item)))
  element('#status').textContent =
    connection.error?.message ?? (status === 'idle' ? endingText(lastFinish?.reason) : `${status}…`)
  element('#stop').hidden = !canStop
  element('#go-on').hidden = status !== 'idle' || lastFinish === undefined || lastFinish.reason === 'stop'
  if (wasAtEnd) scrollTo({ top: document.documentElement.scrollHeight })
}

function isAtEnd(): boolean {
  const { scrollTop, scrollHeight, clientHeight } = document.documentElement
  return scrollHeight - scrollTop - clientHeight < 40
}

function endingText(reason: string | undefined): string {
  return reason === undefined || reason === 'stop' ? '' : `Ended: ${reason}`
}

/** A message that did not change keeps its element. */
function nodeOf(item: MessageItem): HTMLElement {
  const known = shown.get(item.id)
  if (known?.item === item) return known.node
  const node = made('article')
  node.dataset.role = item.message.role
  node.append(made('p', displayText(item.message)))
  shown.set(item.id, { item, node })
  return node
}

function requests({ getSnapshot, resolve }: SessionView): HTMLElement[] {
  return getSnapshot().requests.map(({ request }) => {
    const node = made('article', `${request.description?.title ?? request.tool?.name}?`)
    node.className = 'asked'
    for (const decision of ['allow-once', 'deny'] as const) {
      const button = made('button', decision === 'deny' ? 'No' : 'Yes')
      button.addEventListener('click', () => void resolve(request.id, decision))
      node.append(button)
    }
    return node
  })
}

function made(tag: string, text = ''): HTMLElement {
  const node = document.createElement(tag)
  node.textContent = text
  return node
}

function element(selector: string): HTMLElement {
  return document.querySelector(selector) as HTMLElement
}
