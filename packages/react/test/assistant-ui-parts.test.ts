import {
  type AppendMessage,
  fromThreadMessageLike,
  type RespondToToolApprovalOptions,
  type ThreadUserMessage,
} from '@assistant-ui/react'
import type { Request, UserPart } from '@stepwell/sdk'
import type { MessageItem } from '@stepwell/sdk/view'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { approvalOf, resolutionOf } from '../src/assistant-ui/approvals.ts'
import { messageConverter } from '../src/assistant-ui/convert-message.ts'
import { fromDataUrl, toDataUrl } from '../src/assistant-ui/data-urls.ts'
import { inputOf } from '../src/assistant-ui/input.ts'
import type { Entry } from '../src/assistant-ui/transcript.ts'

const convert = messageConverter(({ sha256 }) => `/blobs/${sha256}`)
const converted = (entry: Entry) => fromThreadMessageLike(convert(entry), 'none', { type: 'running' })

/** What assistant-ui hands on when a message is sent, or sent once more. */
function appended(message: Partial<AppendMessage>): AppendMessage {
  const rest = { parentId: null, sourceId: null, runConfig: undefined, createdAt: new Date(0) }
  return { role: 'user', content: [], attachments: [], metadata: { custom: {} }, ...rest, ...message } as AppendMessage
}

describe('what a person sends', () => {
  it('survives being shown and sent once more', () => {
    const blob = { sha256: 'a'.repeat(64), size: 3 }
    const parts: UserPart[] = [
      { type: 'text', text: 'Look:' },
      { type: 'image', mediaType: 'image/png', blob, name: 'a.png' },
      { type: 'file', mediaType: 'text/csv', path: '/tmp/a.csv' },
      { type: 'session', sessionId: 'other', title: 'Another one' },
    ]
    const item: MessageItem = { id: 'in_1', status: 'committed', message: { role: 'user', id: 'in_1', at: 0, parts } }
    const { role, content, attachments } = converted(item as Entry) as ThreadUserMessage
    expect(attachments.map(({ id, name }) => [id, name])).toEqual([
      ['in_1/1', 'a.png'],
      ['in_1/2', 'file'],
      ['in_1/3', 'Another one'],
    ])
    expect(attachments[0]?.content[0]).toEqual({ type: 'image', image: `/blobs/${blob.sha256}`, filename: 'a.png' })
    expect(inputOf(appended({ role, content, attachments }))).toEqual(parts)
  })

  it('is bytes where assistant-ui has them as text, and an address where it has one', () => {
    const bytes = new Uint8Array([1, 2, 3])
    const content: AppendMessage['content'] = [
      { type: 'text', text: ' ' },
      { type: 'image', image: 'data:image/gif;base64,AQID', filename: 'a.gif' },
      { type: 'image', image: 'https://img.test/b.png' },
      { type: 'file', data: 'AQID', mimeType: 'application/pdf', filename: 'c.pdf' },
      { type: 'file', data: 'https://files.test/d', mimeType: 'application/pdf', sourceType: 'url' },
      { type: 'audio', audio: { data: 'AQID', format: 'mp3' } },
    ]
    expect(inputOf(appended({ content }))).toEqual([
      { type: 'image', mediaType: 'image/gif', bytes, name: 'a.gif' },
      { type: 'image', mediaType: 'image/*', url: 'https://img.test/b.png' },
      { type: 'file', mediaType: 'application/pdf', bytes, name: 'c.pdf' },
      { type: 'file', mediaType: 'application/pdf', url: 'https://files.test/d' },
      { type: 'file', mediaType: 'audio/mp3', bytes },
    ])
    expect(inputOf(appended({ content: [{ type: 'text', text: 'Hi' }] }))).toBe('Hi')
    expect(() => inputOf(appended({ role: 'assistant' }))).toThrow(/messages of people/)
  })

  it('keeps any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70_000 }), (bytes) => {
        expect(fromDataUrl(toDataUrl(bytes, 'a/b'))).toEqual({ mediaType: 'a/b', bytes: new Uint8Array(bytes) })
      }),
      { numRuns: 30, seed: 6 },
    )
    expect(new TextDecoder().decode(fromDataUrl('data:,a%20b')?.bytes)).toBe('a b')
    expect(fromDataUrl('https://img.test/b.png')).toBeUndefined()
  })
})

describe('a reply', () => {
  it('has a part for everything, of later versions too', () => {
    const blob = { sha256: 'b', size: 1 }
    const parts = [
      { type: 'source', sourceId: '1', url: 'https://a.test', title: 'A' },
      { type: 'source', sourceId: '2' },
      { type: 'file', mediaType: 'image/png', url: 'https://img.test/a.png' },
      { type: 'file', mediaType: 'image/png', blob, name: 'b.png' },
      { type: 'file', mediaType: 'text/plain', path: '/tmp/c' },
      { type: 'hologram', depth: 3 },
      { type: 'tool-call', callId: 'c', toolName: 'search', state: 'done', executed: 'provider', output: ['hit'] },
      { type: 'tool-call', callId: 'd', toolName: '', state: 'streaming', inputText: '{"city":"Os' },
    ]
    const message = { role: 'assistant', id: 'm', at: 5, parts }
    const entry = { role: 'assistant', id: 'm', at: 5, messages: [message], status: { type: 'running' } } as unknown
    const { content, createdAt } = converted(entry as Entry)
    expect(createdAt).toEqual(new Date(5))
    expect(content).toMatchObject([
      { type: 'source', sourceType: 'url', url: 'https://a.test', title: 'A' },
      { type: 'source', sourceType: 'document', title: '2' },
      { type: 'image', image: 'https://img.test/a.png' },
      { type: 'file', data: '/blobs/b', sourceType: 'url', mimeType: 'image/png', filename: 'b.png' },
      { type: 'data', name: 'file', data: { path: '/tmp/c' } },
      { type: 'data', name: 'hologram', data: { depth: 3 } },
      { type: 'tool-call', toolCallId: 'c', result: ['hit'] },
      { type: 'tool-call', toolCallId: 'd', args: { city: 'Os' }, argsText: '{"city":"Os' },
    ])
  })
})

describe('an answer', () => {
  const request = (rest: Partial<Request>): Request => ({ id: 'r', kind: 'approval', path: ['s'], ...rest })
  const answer = (to: Request, response: Partial<RespondToToolApprovalOptions>) =>
    resolutionOf(to, { approvalId: to.id, approved: true, ...response })
  const approval = request({ options: ['allow-once', 'allow-session', 'deny'], suggestedRule: 'pay(*)' })
  const plan = request({ kind: 'plan', options: ['approve', 'revise', 'reject'] })
  const question = request({
    kind: 'question',
    questions: [
      { id: 'seat', header: 'Seat', question: 'Which?', options: [{ label: 'Window' }, { label: 'Aisle' }] },
      {
        id: 'food',
        header: 'Meal',
        question: 'What?',
        options: [{ label: 'Fish' }, { label: 'Rice' }],
        multiple: true,
      },
    ],
  })

  it('to an approval or a plan is one of its decisions', () => {
    expect(approvalOf(approval)?.options).toMatchObject([
      { id: 'allow-once', kind: 'allow-once' },
      { id: 'allow-session', kind: 'allow-always', grants: ['pay(*)'] },
      { id: 'deny', kind: 'reject-once' },
    ])
    expect(answer(approval, {})).toEqual({ decision: 'allow-once' })
    expect(answer(approval, { optionId: 'allow-session' })).toEqual({ decision: 'allow-session' })
    expect(answer(approval, { approved: false, reason: 'No.' })).toEqual({ decision: 'deny', note: 'No.' })
    expect(approvalOf(plan)).toMatchObject({ allowFreeform: true })
    expect(answer(plan, { approved: false })).toEqual({ decision: 'reject' })
    expect(answer(plan, { optionId: 'revise', text: 'Shorter.' })).toEqual({ decision: 'revise', note: 'Shorter.' })
  })

  it('to questions is a list of texts for each, or none', () => {
    expect(approvalOf(question)).toMatchObject({ display: 'questions', questions: [{ id: 'seat' }, { id: 'food' }] })
    const answers = {
      seat: { optionIds: ['Window'], text: 'Upstairs' },
      food: { optionIds: ['Fish'], text: 'no salmon' },
    }
    expect(answer(question, { answers })).toEqual({ answers: { seat: ['Upstairs'], food: ['Fish', 'no salmon'] } })
    expect(answer(question, { approved: false, reason: 'Later.' })).toEqual({ skipped: true, note: 'Later.' })
    expect(approvalOf(request({ kind: 'client-tool' }))).toBeUndefined()
  })
})
