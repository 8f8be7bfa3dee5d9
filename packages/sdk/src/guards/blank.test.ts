import { expect, test } from 'vitest'
import type { AssistantMessage } from '../protocol/messages.ts'
import { isBlank } from './blank.ts'

const reply = (...parts: AssistantMessage['parts']): AssistantMessage => ({ role: 'assistant', id: 'm', at: 0, parts })

test.each<[string, AssistantMessage | undefined]>([
  ['nothing at all', undefined],
  ['no parts', reply()],
  ['only thoughts', reply({ type: 'reasoning', text: 'I should answer.' })],
  ['empty text', reply({ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: '' })],
  ['white space', reply({ type: 'text', text: ' \n\u00a0' })],
  ['only sources', reply({ type: 'source', sourceId: 's', url: 'https://a.example/' })],
  ['opaque state', { ...reply({ type: 'text', text: '', providerState: 'x' }), providerState: 'x' }],
])('%s is blank', (_what, message) => expect(isBlank(message)).toBe(true))

test.each<[string, AssistantMessage]>([
  ['text', reply({ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: '.' })],
  ['a call', reply({ type: 'tool-call', callId: 'c', toolName: 'look', input: {}, state: 'ready' })],
  [
    "a provider's call",
    reply({ type: 'tool-call', callId: 'c', toolName: 'search', executed: 'provider', state: 'done' }),
  ],
  ['a file', reply({ type: 'file', mediaType: 'image/png', url: 'https://a.example/a.png' })],
])('%s is not blank', (_what, message) => expect(isBlank(message)).toBe(false))
