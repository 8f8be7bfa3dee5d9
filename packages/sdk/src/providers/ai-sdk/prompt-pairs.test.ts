import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AssistantPart, Message } from '../../protocol/messages.ts'
import { wireNames } from '../wire-names.ts'
import type { AssistantContent, PromptMessage } from './call-options.ts'
import { DIALECTS } from './dialect.ts'
import { promptOf } from './prompt.ts'
import type { Beside } from './state.ts'

const target = { id: 'acme.chat', model: 'm', api: 'ai-sdk', capabilities: {} }
const models = [
  { provider: 'acme.chat', model: 'm', api: 'ai-sdk' },
  { provider: 'other', model: 'n', api: 'other' },
]

const text = fc.record({ type: fc.constant('text'), text: fc.constantFrom('', ' ', 'Hi') })
const thought = fc.record(
  {
    type: fc.constant('reasoning'),
    text: fc.constantFrom('', 'hm'),
    providerState: fc.constant({ metadata: { acme: 1 } }),
  },
  { requiredKeys: ['type', 'text'] },
)
const call = fc.record(
  {
    type: fc.constant('tool-call'),
    callId: fc.uuid(),
    toolName: fc.constantFrom('look', 'a.b', ''),
    input: fc.constant({}),
    state: fc.constant('done'),
    providerCallId: fc.constantFrom('p1', 'p2', 'p3'),
    executed: fc.constant('provider'),
    output: fc.constant([1]),
    providerState: fc.constant({ shown: true }),
  },
  { requiredKeys: ['type', 'callId', 'toolName', 'input', 'state'] },
)

const reply = fc
  .record({
    parts: fc.array(fc.oneof(text, thought, call), { maxLength: 5 }),
    model: fc.constantFrom(...models),
    partial: fc.boolean(),
    places: fc.array(fc.nat(5), { maxLength: 3 }),
  })
  .map(({ parts, model, partial, places }): Message => {
    const beside = places.map((part): Beside => ({ type: 'result', part, after: part + 1 }))
    const state = { providerState: { beside: beside as never } }
    const own = { role: 'assistant', id: 'a', at: 0, model, parts: parts as AssistantPart[] } as const
    return { ...own, ...state, ...(partial && { partial: true as const }) }
  })

const user = text.map(
  (part): Message => ({ role: 'user', id: 'u', at: 0, parts: [part as { type: 'text'; text: string }] }),
)

test('of any history: nothing empty, the user first, every call of ours answered behind it, others only in pairs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(reply, user), { maxLength: 6 }), async (messages) => {
      const bytes = () => Promise.reject(new Error('there are no bytes'))
      const context = { target, names: wireNames([]), dialect: DIALECTS.v3, urls: {}, bytes, warn: () => {} }
      const request = { messages, tools: [], settings: {}, bytes }
      const turns = await promptOf(request, { ...context, media: 'all' })

      expect(turns[0]?.role ?? 'user').toBe('user')
      expect(turns.filter(({ content }) => content.length === 0)).toEqual([])
      turns.forEach((turn, index) => {
        const asked = ourCallIds(turn)
        const answers = turns[index + 1]
        const answered = answers?.role === 'tool' ? answers.content.map(({ toolCallId }) => toolCallId) : []
        expect(turn.role === 'assistant' ? answered : []).toEqual(asked)
      })
      const isLast = messages.at(-1)?.role === 'assistant'
      const open = isLast ? executed(turns.slice(-2), 'tool-call') : []
      const called = new Set(executed(turns, 'tool-call'))
      const answered = new Set([...executed(turns, 'tool-result'), ...open])
      expect([...called].filter((id) => !answered.has(id))).toEqual([])
      expect(executed(turns, 'tool-result').filter((id) => !called.has(id))).toEqual([])
    }),
    { seed: 6, numRuns: 500 },
  )
})

function contentOf(turn: PromptMessage): readonly AssistantContent[] {
  return turn.role === 'assistant' ? turn.content : []
}

function ourCallIds(turn: PromptMessage): string[] {
  return contentOf(turn).flatMap((part) =>
    part.type === 'tool-call' && !part.providerExecuted ? [part.toolCallId] : [],
  )
}

/** The ids of what a provider ran, or of what that gave. */
function executed(turns: readonly PromptMessage[], type: 'tool-call' | 'tool-result'): string[] {
  return turns.flatMap(contentOf).flatMap((part) => {
    if (part.type === 'tool-call') return type === part.type && part.providerExecuted ? [part.toolCallId] : []
    return type === part.type ? [part.toolCallId] : []
  })
}
