import { type JsonValue, normalise } from '../../protocol/json.ts'
import type { Message } from '../../protocol/messages.ts'
import { makeSeq } from '../../protocol/seq.ts'
import { initialState, REDUCER_VERSION } from '../../protocol/state.ts'
import { expectCode, expectSame } from '../conformance.ts'
import { create, input, note, numbered, owned, readAll, type StoreRule, seqsOf, vandalise } from './world.ts'

function nested(levels: number): JsonValue {
  let value: JsonValue = 'core'
  for (let i = 0; i < levels; i++) value = { a: [value] }
  return value
}

/** What models and tools come up with. */
const values: Readonly<Record<string, unknown>> = {
  'U+0000': 'a\u0000b',
  'a lone surrogate': 'x\ud83d',
  'a paired surrogate': 'x\ud83d\ude00y',
  '__proto__ as a key': JSON.parse('{"__proto__":{"admin":true},"constructor":1,"toString":"x"}'),
  'what JSON has no word for': { a: undefined, b: Number.NaN, c: Number.POSITIVE_INFINITY, d: -0, e: [undefined, 1n] },
  '2,000 levels': nested(1_000),
  'a string of 8 MB': '0123456789abcdé\n'.repeat(500_000),
  'keys with quotes, percent and backslash': { '"': 1, "'": 2, '%': 3, '\\': 4, '': 5, '0': 6, 'a.b': 7 },
  numbers: [2 ** 53 - 1, -(2 ** 53), 1e-7, 1.7976931348623157e308, 5e-324],
}

export const valueRules: readonly StoreRule[] = [
  [
    'every normalised value comes back equal',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      let index = 0
      for (const [what, value] of Object.entries(values)) {
        const output = normalise(value)
        const seq = makeSeq(1, ++index)
        const result = { callId: what, toolName: 't', outcome: 'ok', output, durationMs: 0 } as const
        const event = { type: 'tool-result', seq, at: 1, result } as const
        await store.append('s', [event], { generation })
        expectSame(await readAll(store, 's', { after: seq - 1 }), [event], what)
      }
      expectSame(Object.hasOwn(Object.prototype, 'admin'), false, 'and no prototype was changed')
    },
  ],
  [
    'ids are data: any printable text is one, the rest is refused',
    async ({ store }) => {
      const ids = ['../x', "a'b", '"; DROP TABLE events; --', '%', 'a/b\\c', '😀', 'constructor', 'x'.repeat(256), ' ']
      for (const id of ids) {
        const { generation } = await owned(store, id)
        await store.post(id, input(id, id))
        await store.append(id, [note(makeSeq(1, 1), id)], { generation, receipts: [{ commandId: id, status: 'done' }] })
      }
      for (const id of ids) {
        expectSame(await readAll(store, id, { after: 1 }), [note(makeSeq(1, 1), id)], `the log of ${id}`)
        expectSame(await store.receipt(id, id), { commandId: id, status: 'done' }, `the receipt of ${id}`)
      }
      for (const id of ['', 'x'.repeat(300), 'a\u0000b', 'a\nb', '\ud83d']) {
        await expectCode(() => create(store, id), 'session.invalid-id', JSON.stringify(id))
        expectSame(await store.get(id), undefined, 'and is unknown')
      }
    },
  ],
  [
    'nothing handed in or out can change what is stored',
    async ({ store }) => {
      const state = { ...initialState('s'), notices: [] }
      const originals = () => ({
        row: { id: 's', createdAt: 1, metadata: { deep: { list: [1, 2] } } },
        event: note(makeSeq(1, 1), 'text'),
        command: input('c', 'hello'),
        receipt: { commandId: 'd', status: 'done', returned: [{ inputId: 'i', lane: 'queue', parts: [] }] } as const,
        snapshot: { version: REDUCER_VERSION, seq: 1, state: structuredClone(state) },
        bytes: new Uint8Array([1, 2, 3]),
      })
      const given = originals()
      await store.create(given.row, { type: 'session-created', seq: 1, at: 1, v: 1 })
      const { generation } = await store.acquire('s', { owner: 'h:1:x', ttlMs: 1_000 })
      await store.append('s', [given.event], { generation, receipts: [given.receipt] })
      await store.post('s', given.command)
      await store.saveSnapshot('s', given.snapshot)
      const { sha256 } = await store.blobs.put('s', given.bytes)
      const look = async () => ({
        row: (await store.get('s'))?.metadata,
        listed: (await store.list()).items[0]?.metadata,
        events: await readAll(store, 's', { after: 1 }),
        commands: await store.commands('s'),
        receipt: await store.receipt('s', 'd'),
        snapshot: await store.snapshot('s'),
        bytes: [...((await store.blobs.get('s', sha256)) ?? [])],
      })
      const { row, event, command, receipt, snapshot, bytes } = originals()
      const expected = {
        row: row.metadata,
        listed: row.metadata,
        events: [event],
        commands: [command],
        receipt,
        snapshot,
        bytes: [...bytes],
      }
      vandalise({ ...given, bytes: undefined })
      given.bytes.fill(0)
      expectSame(await look(), expected, 'after changing what was handed in')
      vandalise(await look())
      ;(await store.blobs.get('s', sha256))?.fill(0)
      expectSame(await look(), expected, 'after changing what was handed out')
    },
  ],
  [
    'a snapshot is kept until a later one comes, and only for the reducer of its version',
    async ({ store }) => {
      await create(store, 's')
      const snapshot = (seq: number, version = REDUCER_VERSION) => ({
        version,
        seq,
        state: { ...initialState('s'), seq },
      })
      expectSame(await store.snapshot('s'), undefined, 'none yet')
      await store.saveSnapshot('s', snapshot(20))
      await store.saveSnapshot('s', snapshot(10))
      expectSame(await store.snapshot('s'), snapshot(20), 'an earlier one is ignored')
      await store.saveSnapshot('s', snapshot(30))
      expectSame(await store.snapshot('s'), snapshot(30), 'a later one replaces it')
      await store.saveSnapshot('s', snapshot(40, REDUCER_VERSION + 1))
      const kept = await store.snapshot('s')
      expectSame(
        kept === undefined || kept.version === REDUCER_VERSION,
        true,
        'one of another version is not given out',
      )
      expectSame(await store.snapshot('unknown'), undefined, 'an unknown session has none')
    },
  ],
  [
    'a snapshot holds a history of any length, which may grow, change and be cut',
    async ({ store }) => {
      await create(store, 's')
      const said = (index: number, text: string): Message => ({
        role: 'user',
        id: `in_${index}`,
        at: index,
        runId: `run_${index}`,
        placed: 'start',
        parts: [
          { type: 'text', text },
          { type: 'file', mediaType: 'text/plain', name: 'a.txt' },
          { type: 'text', text: '' },
        ],
      })
      const kinds = ['', 'é', '\0', '語', '😀']
      const long = Array.from({ length: 50 }, (_, index) => said(index, `${index}${kinds[index % 5]} `.repeat(2_000)))
      const changed = [...long.slice(0, 20), said(20, 'Something else.'), ...long.slice(21)]
      let seq = 0
      for (const history of [[], long.slice(0, 30), long, changed, long.slice(0, 10), []]) {
        const snapshot = { version: REDUCER_VERSION, seq: ++seq, state: { ...initialState('s'), seq, history } }
        await store.saveSnapshot('s', snapshot)
        expectSame(await store.snapshot('s'), snapshot, `with ${history.length} messages`)
      }
    },
  ],
  [
    'blobs are addressed by their content, within their session',
    async ({ store }) => {
      await create(store, 's')
      await create(store, 'other')
      const bytes = new Uint8Array([0, 255, 10, 13, 39])
      const ref = await store.blobs.put('s', bytes, 'image/png')
      expectSame(
        ref,
        { sha256: '648e8c86e2aa9dc7c2f4885615d2d0883214fb47d7ac34be3b59905353d9050d', size: 5 },
        'the ref',
      )
      expectSame(await store.blobs.put('s', bytes.slice()), ref, 'the same bytes give the same ref')
      expectSame([...((await store.blobs.get('s', ref.sha256)) ?? [])], [...bytes], 'the bytes')
      expectSame(await store.blobs.get('other', ref.sha256), undefined, 'not in another session')
      expectSame(await store.blobs.get('s', '../x'), undefined, 'an unknown hash')
      expectSame((await store.blobs.put('s', new Uint8Array())).size, 0, 'nothing at all is a blob too')
      await expectCode(() => store.blobs.put('unknown', bytes), 'session.not-found', 'an unknown session')
    },
  ],
  [
    'a closed store answers with store.unavailable',
    async ({ store }) => {
      const lease = await owned(store, 's')
      const putting = store.blobs.put('s', new Uint8Array(100_000))
      await store.close()
      expectSame((await putting).size, 100_000, 'what was under way is finished')
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        create: () => create(store, 'new'),
        get: () => store.get('s'),
        list: () => store.list(),
        delete: () => store.delete('s'),
        acquire: () => store.acquire('s', { owner: 'h:1:x', ttlMs: 1 }),
        renew: () => lease.renew(),
        append: () => store.append('s', [], { generation: 1 }),
        read: () => readAll(store, 's'),
        post: () => store.post('s', input('c', 'x')),
        commands: () => store.commands('s'),
        receipt: () => store.receipt('s', 'c'),
        due: () => store.due(0),
        heads: () => store.heads(['s']),
        saveSnapshot: () => store.saveSnapshot('s', { version: REDUCER_VERSION, seq: 1, state: initialState('s') }),
        snapshot: () => store.snapshot('s'),
        put: () => store.blobs.put('s', new Uint8Array(1)),
        getBlob: () => store.blobs.get('s', 'x'),
      }
      for (const [name, call] of Object.entries(calls)) await expectCode(call, 'store.unavailable', name)
      await lease.release()
      await store.close()
    },
  ],
]

/** For storage in which a row can rot. */
export const corruptRules: readonly StoreRule[] = [
  [
    'a row that cannot be decoded is reported, and the others come',
    async ({ store, options }) => {
      if (!options.corrupt) return
      const { generation } = await owned(store, 's')
      await store.append('s', [numbered(1, 1), numbered(1, 2), numbered(1, 3)], { generation })
      const bad = numbered(1, 2).seq
      await options.corrupt(store, 's', bad)
      for (const direction of ['forward', 'backward'] as const) {
        const reported: number[] = []
        const seqs = await seqsOf(store, 's', { direction, onCorrupt: (row) => reported.push(row.seq) })
        expectSame(
          seqs.sort((a, b) => a - b),
          [1, numbered(1, 1).seq, numbered(1, 3).seq],
          `the others, ${direction}`,
        )
        expectSame(reported, [bad], 'the bad one')
      }
      expectSame((await seqsOf(store, 's')).length, 3, 'also when nobody asked to be told')
    },
  ],
]
