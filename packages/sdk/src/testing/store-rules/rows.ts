import type { SessionQuery, SessionStore } from '../../stores/store.ts'
import { expectCode, expectSame } from '../conformance.ts'
import { create, createdEvent, historyEvent, input, note, owned, readAll, type StoreRule } from './world.ts'

async function listAll(store: SessionStore, query: SessionQuery): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.list(cursor === undefined ? query : { ...query, cursor })
    ids.push(...page.items.map((row) => row.id))
    cursor = page.next
  } while (cursor !== undefined)
  return ids
}

export const rowRules: readonly StoreRule[] = [
  [
    'create writes the row and its first event together',
    async ({ store }) => {
      const row = {
        id: 's',
        title: 'Title',
        principal: 'ann',
        tenant: 'acme',
        profile: 'p',
        parent: 'parent',
        metadata: { a: [1, { b: null }] },
        createdAt: 7,
      }
      await store.create(row, createdEvent(9))
      expectSame(
        await store.get('s'),
        { ...row, head: 1, updatedAt: 9 },
        'the row with head and updatedAt of its event',
      )
      expectSame(await readAll(store, 's'), [createdEvent(9)], 'the log holds session-created')
      expectSame(await store.get('unknown'), undefined, 'an unknown id gives undefined')
      expectSame(await readAll(store, 'unknown'), [], 'an unknown log is empty')
    },
  ],
  [
    'create writes the history a session begins with, in the same transaction',
    async ({ store }) => {
      const history = [historyEvent(2), historyEvent(3)]
      await store.create({ id: 's', createdAt: 7 }, createdEvent(9), history)
      expectSame((await store.get('s'))?.head, 3, 'the head is the last of the history')
      expectSame(await readAll(store, 's'), [createdEvent(9), ...history], 'the log holds it after session-created')
    },
  ],
  [
    'create refuses an id that is taken and changes nothing',
    async ({ store }) => {
      await create(store, 's', { title: 'first' })
      await expectCode(() => create(store, 's', { title: 'second' }), 'session.conflict', 'a taken id')
      expectSame((await store.get('s'))?.title, 'first', 'the first title')
      expectSame((await readAll(store, 's')).length, 1, 'one event')
      const both = await Promise.allSettled([create(store, 'race'), create(store, 'race')])
      expectSame(both.filter((one) => one.status === 'fulfilled').length, 1, 'one of two creations wins')
    },
  ],
  [
    'list gives every session once, newest first, in pages, also when times are equal',
    async ({ store }) => {
      for (const [id, at] of [
        ['b', 10],
        ['d', 30],
        ['a', 10],
        ['e', 20],
        ['c', 10],
      ] as const)
        await create(store, id, {}, at)
      const ids = await listAll(store, { limit: 2 })
      expectSame(ids.slice(0, 2), ['d', 'e'], 'the newest first')
      expectSame([...ids].sort(), ['a', 'b', 'c', 'd', 'e'], 'pages of 2 hold each session once')
      expectSame(await listAll(store, {}), ids, 'one page gives the same order')
      expectSame((await store.list({ limit: 5 })).next, undefined, 'a last page has no next')
      const { generation } = await store.acquire('b', { owner: 'o:1:x', ttlMs: 1_000 })
      await store.append('b', [note(2 ** 32 + 1, 'later', 99)], { generation })
      expectSame((await listAll(store, { limit: 2 }))[0], 'b', 'an append brings a session to the front')
    },
  ],
  [
    'list finds by title, principal, tenant, parent and archived',
    async ({ store }) => {
      await create(store, 'ann', { title: 'Übung 100%_done', principal: 'ann', tenant: 'x' })
      await create(store, 'bob', { title: 'Weather in Oslo', principal: 'bob', tenant: 'x', parent: 'ann' })
      await create(store, 'old', { title: 'Weather in Rome', principal: 'bob', tenant: 'y', archived: true })
      expectSame(await listAll(store, { search: 'WEATHER' }), ['bob'], 'search ignores case and archived sessions')
      expectSame(await listAll(store, { search: 'übung' }), ['ann'], 'also outside ASCII')
      expectSame(await listAll(store, { search: '%_d' }), ['ann'], 'percent and underscore are plain characters')
      expectSame(await listAll(store, { search: '%o%' }), [], 'and no wildcards')
      expectSame(await listAll(store, { archived: true }), ['old'], 'archived ones alone')
      expectSame(await listAll(store, { principal: 'bob' }), ['bob'], 'by principal')
      expectSame((await listAll(store, { tenant: 'x' })).sort(), ['ann', 'bob'], 'by tenant')
      expectSame(await listAll(store, { tenant: 'y', archived: true }), ['old'], 'by both')
      expectSame(await listAll(store, { parent: 'ann' }), ['bob'], 'by parent')
    },
  ],
  [
    'list refuses a cursor or a page size that cannot be',
    async ({ store }) => {
      await create(store, 's')
      await expectCode(() => store.list({ cursor: 'nonsense' }), 'input.invalid', 'a made-up cursor')
      for (const limit of [0, -1, 1.5, Number.NaN])
        await expectCode(() => store.list({ limit }), 'input.invalid', `limit ${limit}`)
      expectSame((await store.list({ limit: 10_000 })).items.length, 1, 'a large limit is cut, not refused')
    },
  ],
  [
    'delete removes everything of one session and nothing of another',
    async ({ store }) => {
      for (const id of ['s', 'other']) {
        const lease = await owned(store, id)
        await store.post(id, input('c1', 'waiting'))
        await store.append(id, [], { generation: lease.generation, receipts: [{ commandId: 'c0', status: 'done' }] })
      }
      const bytes = new Uint8Array([1, 2, 3])
      const { sha256 } = await store.blobs.put('s', bytes)
      await store.blobs.put('other', bytes)
      await store.delete('s')
      await store.delete('s')
      await store.delete('never there')
      expectSame(await store.get('s'), undefined, 'no row')
      expectSame(await readAll(store, 's'), [], 'no events')
      expectSame(await store.commands('s'), [], 'no commands')
      expectSame(await store.receipt('s', 'c0'), undefined, 'no receipts')
      expectSame(await store.blobs.get('s', sha256), undefined, 'no blobs')
      expectSame(await store.heads(['s', 'other']), { other: 1 }, 'the other one stays')
      expectSame((await store.blobs.get('other', sha256))?.length, 3, 'with its blob')
      await create(store, 's')
      expectSame(await store.commands('s'), [], 'created anew it starts empty')
      expectSame(await store.receipt('s', 'c0'), undefined, 'created anew it has no receipts')
    },
  ],
  [
    'heads gives the last seq of each session it knows',
    async ({ store }) => {
      const lease = await owned(store, 's')
      await create(store, '__proto__')
      const seq = 2 ** 32 + 5
      await store.append('s', [note(seq, 'x')], { generation: lease.generation })
      const heads = await store.heads(['s', 'unknown', '__proto__'])
      expectSame(
        Object.entries(heads).sort(),
        [
          ['__proto__', 1],
          ['s', seq],
        ],
        'the heads of both',
      )
      expectSame(await store.heads([]), {}, 'of none')
      const many = Array.from({ length: 1_500 }, (_, i) => `x${i}`)
      expectSame(await store.heads([...many, 's']), { s: seq }, 'of more ids than a statement may have parameters')
    },
  ],
]
