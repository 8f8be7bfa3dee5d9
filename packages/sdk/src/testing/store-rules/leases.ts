import type { Lease } from '../../stores/store.ts'
import { expectCode, expectSame } from '../conformance.ts'
import { create, input, numbered, OTHER, OWNER, owned, type StoreRule } from './world.ts'

export const leaseRules: readonly StoreRule[] = [
  [
    'acquire gives one owner a lease and raises the generation each time',
    async ({ store, clock }) => {
      await create(store, 's')
      const lease = await store.acquire('s', OWNER)
      expectSame(lease.generation, 1, 'the first generation')
      expectSame(lease.expiresAt, clock.time + OWNER.ttlMs, 'expires after its ttl')
      expectSame(lease.lost.aborted, false, 'is not lost')
      await expectCode(() => store.acquire('s', OTHER), 'session.busy', 'another owner while it lives')
      await expectCode(() => store.acquire('unknown', OWNER), 'session.not-found', 'an unknown session')
      expectSame((await store.acquire('s', OWNER)).generation, 2, 'the same owner again')
      expectSame((await store.acquire('s', { ...OTHER, takeover: true })).generation, 3, 'takeover')
    },
  ],
  [
    'of owners acquiring at once exactly one wins',
    async ({ store }) => {
      await create(store, 's')
      const tries = Array.from({ length: 8 }, (_, i) => store.acquire('s', { owner: `host-${i}:${i}:x`, ttlMs: 1_000 }))
      const results = await Promise.allSettled(tries)
      expectSame(results.filter((result) => result.status === 'fulfilled').length, 1, 'one lease')
    },
  ],
  [
    'a lease expires, and is free once released',
    async ({ store, clock }) => {
      const lease = await owned(store, 's')
      clock.time += OWNER.ttlMs + 1
      const second = await store.acquire('s', OTHER)
      await lease.release()
      await expectCode(() => store.acquire('s', OWNER), 'session.busy', 'an old release frees nothing')
      await second.release()
      await second.release()
      expectSame((await store.acquire('s', OWNER)).generation, 3, 'released and taken')
    },
  ],
  [
    'renew extends a lease, also an expired one nobody took',
    async ({ store, clock }) => {
      const lease = await owned(store, 's')
      clock.time += 10_000
      await lease.renew()
      expectSame(lease.expiresAt, clock.time + OWNER.ttlMs, 'a ttl from now')
      clock.time += 10_000
      await expectCode(() => store.acquire('s', OTHER), 'session.busy', 'the renewed lease is live')
      clock.time += 60_000
      await lease.renew()
      await expectCode(() => store.acquire('s', OTHER), 'session.busy', 'so is one renewed late')
    },
  ],
  [
    'renew finds out that the lease is in other hands',
    async ({ store }) => {
      const lease = await owned(store, 's')
      await store.acquire('s', { ...OTHER, takeover: true })
      await expectCode(() => lease.renew(), 'session.lease-lost', 'renewal after a takeover')
      expectSame(lease.lost.aborted, true, 'its signal is aborted')
      const other = await owned(store, 'gone')
      await store.delete('gone')
      await expectCode(() => other.renew(), 'session.lease-lost', 'renewal after the session was deleted')
    },
  ],
  [
    'append is fenced: an older generation changes nothing',
    async ({ store }) => {
      const lease = await owned(store, 's')
      await store.post('s', input('c1', 'hello'))
      await store.append('s', [numbered(1, 1)], { generation: lease.generation })
      const next = await store.acquire('s', { ...OTHER, takeover: true })
      const stale = () =>
        store.append('s', [numbered(1, 2)], {
          generation: lease.generation,
          receipts: [{ commandId: 'c1', status: 'done' }],
          row: { title: 'stale' },
        })
      await expectCode(stale, 'session.lease-lost', 'an append by the old owner')
      expectSame((await store.commands('s')).length, 1, 'the command still waits')
      expectSame(await store.receipt('s', 'c1'), undefined, 'without a receipt')
      expectSame((await store.get('s'))?.title, undefined, 'the row is as it was')
      await store.append('s', [numbered(2, 1)], { generation: next.generation })
      expectSame((await store.get('s'))?.head, numbered(2, 1).seq, 'the new owner writes')
      await expectCode(() => store.append('unknown', [], { generation: 1 }), 'session.not-found', 'an unknown session')
    },
  ],
  [
    'an owner whose lease ran out or was released may append until another takes over',
    async ({ store, clock }) => {
      const lease = await owned(store, 's')
      clock.time += 1_000_000
      await store.append('s', [numbered(1, 1)], { generation: lease.generation })
      await lease.release()
      await store.append('s', [numbered(1, 2)], { generation: lease.generation })
      expectSame((await store.get('s'))?.head, numbered(1, 2).seq, 'both are stored')
    },
  ],
  [
    'due finds what wants an owner and has none',
    async ({ store, clock }) => {
      const leases = new Map<string, Lease>()
      for (const id of ['idle', 'open', 'parked', 'owned', 'waiting', 'wake']) leases.set(id, await owned(store, id))
      const row = (id: string, patch: object) =>
        store.append(id, [], { generation: leases.get(id)?.generation ?? 0, row: patch })
      await row('open', { openRun: 'r' })
      await row('owned', { openRun: 'r' })
      await row('parked', { openRun: 'r', parked: true })
      await row('wake', { wakeAt: clock.time + 5_000 })
      for (const [id, lease] of leases) if (id !== 'owned') await lease.release()
      const due = async (olderThanMs: number) => [...(await store.due(olderThanMs))].sort()
      expectSame(await due(0), ['open'], 'an open run that is not parked, without a live lease')
      await store.post('waiting', input('c1', 'x', 1))
      await store.post('owned', input('c1', 'x', 1))
      expectSame(await due(2_000), ['open'], 'a command that did not wait long enough, by the clock of the store')
      clock.time += 2_001
      expectSame(await due(2_000), ['open', 'waiting'], 'a command that did')
      clock.time += 3_000
      expectSame(await due(2_000), ['open', 'waiting', 'wake'], 'a wake that passed')
      await row('waiting', {})
      await store.append('waiting', [], { generation: 1, receipts: [{ commandId: 'c1', status: 'done' }] })
      await row('wake', { wakeAt: null })
      await row('open', { openRun: null })
      expectSame(await due(0), [], 'and not what was done')
      clock.time += 60_000
      expectSame(await due(0), ['owned'], 'an owner that did not renew')
    },
  ],
]
