import type { Command, Receipt } from '../../protocol/commands.ts'
import { expectCode, expectSame } from '../conformance.ts'
import { create, input, numbered, owned, type StoreRule } from './world.ts'

export const inboxRules: readonly StoreRule[] = [
  [
    'commands wait in order of arrival, whatever their ids and times',
    async ({ store }) => {
      await create(store, 's')
      const commands = [input('z', 'first', 300), input('m', 'second', 100), input('a', 'third', 200)]
      for (const command of commands) expectSame(await store.post('s', command), undefined, 'it waits')
      expectSame(await store.commands('s'), commands, 'oldest first')
      expectSame(await store.commands('unknown'), [], 'an unknown session has none')
      await expectCode(() => store.post('unknown', input('c', 'x')), 'session.not-found', 'an unknown session')
    },
  ],
  [
    'the same command again changes nothing; the same id with other content is refused',
    async ({ store }) => {
      await create(store, 's')
      const command: Command = { ...input('c', 'hello', 1), by: 'ann' }
      await store.post('s', command)
      const again: Command = {
        by: 'bob',
        parts: [{ text: 'hello', type: 'text' }],
        mode: 'queue',
        at: 2,
        id: 'c',
        type: 'input',
      }
      expectSame(await store.post('s', again), undefined, 'other time, other person, other order of keys')
      await expectCode(() => store.post('s', input('c', 'goodbye')), 'session.conflict', 'another text')
      await expectCode(() => store.post('s', { type: 'abort', id: 'c', at: 1 }), 'session.conflict', 'another type')
      expectSame(await store.commands('s'), [command], 'the first one waits')
    },
  ],
  [
    'a judged command leaves the inbox and answers with its receipt',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      const [first, second] = [input('c1', 'hello'), input('c2', 'there')]
      await store.post('s', first)
      await store.post('s', second)
      const queued: Receipt = { commandId: 'c1', status: 'queued', inputId: 'c1', seq: numbered(1, 1).seq }
      await store.append('s', [numbered(1, 1)], { generation, receipts: [queued] })
      expectSame(await store.commands('s'), [second], 'the other one still waits')
      expectSame(await store.receipt('s', 'c1'), queued, 'the receipt')
      expectSame(await store.receipt('s', 'c2'), undefined, 'none yet')
      expectSame(await store.receipt('unknown', 'c1'), undefined, 'none in another session')
      expectSame(await store.post('s', { ...first, at: 99 }), queued, 'posted again it is answered')
      await expectCode(() => store.post('s', input('c1', 'other')), 'session.conflict', 'still with other content')
      const steered: Receipt = { commandId: 'c1', status: 'steered', inputId: 'c1', runId: 'r', messageId: 'm' }
      await store.append('s', [], { generation, receipts: [steered] })
      expectSame(await store.post('s', first), steered, 'a later receipt replaces it')
      await expectCode(() => store.post('s', input('c1', 'other')), 'session.conflict', 'and keeps the content')
    },
  ],
  [
    'a command that never was in the inbox can have a receipt',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      const receipt: Receipt = {
        commandId: 'local',
        status: 'refused',
        error: { code: 'session.busy', message: 'A run is open.', retryable: true },
        returned: [{ inputId: 'i', lane: 'queue', parts: [{ type: 'text', text: 'x' }] }],
      }
      await store.append('s', [], { generation, receipts: [receipt] })
      expectSame(await store.receipt('s', 'local'), receipt, 'the receipt')
      expectSame(await store.post('s', input('local', 'x')), receipt, 'a post is answered with it')
      expectSame(await store.commands('s'), [], 'and does not wait')
    },
  ],
  [
    'commands posted at once are all kept, once each',
    async ({ store }) => {
      await create(store, 's')
      const ids = Array.from({ length: 20 }, (_, i) => `c${i % 10}`)
      await Promise.all(ids.map((id) => store.post('s', input(id, id))))
      expectSame((await store.commands('s')).length, 10, 'ten commands')
    },
  ],
]
