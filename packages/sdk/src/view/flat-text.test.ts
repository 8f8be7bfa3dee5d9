import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { delta, streaming } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { createSessionView } from './session-view.ts'

test('what is published of a reply is held as one string, not as its deltas', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const heap = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.subscribe(() => {})
  const before = heap()
  for (let from = 0; from < 250_000; from += 5_000) {
    session.emit(...Array.from({ length: 1_000 }, (_, i) => delta(0, from + i * 5, 'word ')))
  }
  const bytes = heap() - before
  expect(view.getSnapshot().pending.message?.parts).toEqual([{ type: 'text', text: 'word '.repeat(50_000) }])
  // 1,690,000 as pieces.
  expect(bytes).toBeLessThan(800_000)
})
