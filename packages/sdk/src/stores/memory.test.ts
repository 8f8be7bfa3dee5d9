import { expect, it } from 'vitest'
import { storeConformance } from '../testing/store-conformance.ts'
import { readAll } from '../testing/store-rules/world.ts'
import { memoryStore } from './memory.ts'

for (const { name, run } of storeConformance({ name: 'memory', open: memoryStore })) it(name, run)

it('hands out what it keeps, frozen, rather than copies', async () => {
  const store = memoryStore()
  await store.create({ id: 's', createdAt: 1 }, { type: 'session-created', seq: 1, at: 1, v: 1 })
  const [first] = await readAll(store, 's')
  const [again] = await readAll(store, 's')
  expect(first).toBe(again)
  expect(Object.isFrozen(first)).toBe(true)
})
