import type { AssistantMessage, Message, ToolCallPart } from '../protocol/messages.ts'
import type { ModelProvider } from '../providers/provider.ts'

/** A history with everything endpoints choke on: blanks, half surrogates, unanswered and foreign calls, only thoughts. */
export function awkwardHistory({ id, model, api }: Pick<ModelProvider, 'id' | 'model' | 'api'>): readonly Message[] {
  const ours = { provider: id, model, api }
  const call = (callId: string, over: Partial<ToolCallPart> = {}): ToolCallPart => ({
    type: 'tool-call',
    callId,
    toolName: 'files.list',
    input: {},
    state: 'ready',
    ...over,
  })
  const assistant = (n: number, parts: AssistantMessage['parts'], over: Partial<AssistantMessage> = {}): Message => ({
    role: 'assistant',
    id: `a${n}`,
    at: n,
    model: ours,
    parts,
    ...over,
  })
  const user = (n: number, text: string): Message => ({
    role: 'user',
    id: `u${n}`,
    at: n,
    parts: [{ type: 'text', text }],
  })
  return [
    user(1, 'half a pair: \ud83d, and a NUL: \u0000'),
    assistant(2, [
      { type: 'text', text: '' },
      call('c1', { result: { callId: 'c1', toolName: 'files.list', outcome: 'ok', output: '', durationMs: 1 } }),
      call('c2', { providerCallId: `call+/=|${'x'.repeat(200)}` }),
    ]),
    assistant(3, [{ type: 'text', text: ' \n' }]),
    user(4, '  '),
    assistant(5, []),
    user(6, 'again'),
    assistant(7, [{ type: 'reasoning', text: 'only thoughts' }], { partial: true }),
    assistant(8, [{ type: 'text', text: 'from elsewhere' }, call('c3', { providerState: { secret: 1 } })], {
      model: { provider: 'elsewhere', model: 'other', api: 'other' },
      providerState: { reasoning_details: [{ foreign: true }] },
    }),
    { role: 'note', id: 'n9', at: 9, kind: 'background', text: 'a job ended', toModel: true },
    user(10, 'go on'),
  ]
}

/** Every string a model would read as content, found by the names the APIs give such fields. */
export function everyText(body: unknown): string[] {
  const texts: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && ['text', 'content', 'output', 'instructions'].includes(key)) texts.push(inner)
        else visit(inner)
      }
    }
  }
  visit(body)
  return texts
}

export function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen)
  return value
}
