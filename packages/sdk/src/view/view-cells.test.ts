import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventDraft } from '../protocol/events.ts'
import type { SessionState } from '../protocol/state.ts'
import { type FakeSession, fakeSession } from '../testing/fake-session.ts'
import { microtasks } from '../testing/microtasks.ts'
import { type Choose, chances, randomStep } from '../testing/random-steps.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView, type SessionView } from './session-view.ts'
import type { ViewCell } from './view-cells.ts'

const HISTORIES = process.env.STEPWELL_DEEP ? 3_000 : 200
const SEEDED = { seed: 15, numRuns: HISTORIES }
const CONSTANT: readonly ViewCell[] = [
  'list',
  'run',
  'queue',
  'requests',
  'usage',
  'tasks',
  'deliverables',
  'notices',
  'row',
  'activity',
  'outbox',
  'connection',
  'older',
]

/** What a cell shows, in the words of the public surface. */
function shownBy(view: SessionView, cell: ViewCell): unknown {
  const snapshot = view.getSnapshot()
  const [kind, name = ''] = split(cell)
  switch (kind) {
    case 'list':
      return snapshot.messageIds
    case 'run':
      return [snapshot.status, snapshot.canStop, snapshot.run, snapshot.lastFinish, snapshot.fault]
    case 'message':
      return cellsOf(view).getMessage(name)
    case 'part': {
      const at = name.lastIndexOf('/')
      return cellsOf(view).getPart(name.slice(0, at), Number(name.slice(at + 1)))
    }
    case 'call':
      return cellsOf(view).getCall(name)
    case 'request':
      return cellsOf(view).getRequest(name)
    case 'task':
      return cellsOf(view).getTask(name)
    default:
      return snapshot[kind as 'queue' | 'usage' | 'tasks' | 'outbox']
  }
}

function split(cell: ViewCell): [string, string?] {
  const colon = cell.indexOf(':')
  return colon === -1 ? [cell] : [cell.slice(0, colon), cell.slice(colon + 1)]
}

/** Every cell that these states could have. */
function possibleCells({ history, pending, live, tasks }: SessionState): Set<ViewCell> {
  const cells = new Set<ViewCell>(CONSTANT)
  for (const message of [...history, ...(pending.message ? [pending.message] : [])]) {
    cells.add(`message:${message.id}`)
    if (message.role === 'note') continue
    message.parts.forEach((part, i) => {
      cells.add(`part:${message.id}/${i}`)
      if (part.type === 'tool-call') cells.add(`call:${part.callId}`)
    })
  }
  for (const id in { ...pending.calls, ...live.calls }) cells.add(`call:${id}`)
  for (const id in { ...tasks, ...live.tasks }) cells.add(`task:${id}`)
  for (const { id } of pending.requests) cells.add(`request:${id}`)
  return cells
}

/** A session to which random things happen, with a person who now and then does something. */
class World {
  readonly session: FakeSession = fakeSession()
  readonly view: SessionView
  publish: (() => void) | undefined
  readonly #choose: Choose
  #ids = 0
  readonly #mint = (prefix: string): string => `${prefix}-${++this.#ids}`
  /** Sent, and not answered yet. */
  #sent: string[] = []

  constructor(choose: Choose) {
    this.#choose = choose
    const schedule = (publish: () => void) => {
      this.publish = publish
      return () => {
        this.publish = undefined
      }
    }
    this.view = createSessionView(this.session, { schedule, ids: this.#mint, now: () => 1, window: 5 })
  }

  async step(): Promise<void> {
    const { session, view } = this
    const { run, pending } = session.state
    switch (this.#choose(14)) {
      case 0:
        this.#sent.push(`in-${this.#ids + 1}`)
        return void view.send('Hi')
      case 1: {
        const id = this.#sent.shift()
        if (id === undefined) return
        if (this.#choose(3) === 0) session.fail(new Error('offline'))
        else session.answer({ status: 'accepted' })
        await microtasks(20)
        if (this.#choose(3) > 0) session.emit(...this.#arrival(id))
        return
      }
      case 2: {
        const failed = view.getSnapshot().outbox.find(({ status }) => status === 'failed')
        if (failed) view.discard(failed.id)
        return
      }
      case 3: {
        const [request] = pending.requests
        if (request && this.#sent.length === 0) {
          const answered = view.resolve(request.id, 'deny')
          session.answer(this.#choose(2) === 0 ? { status: 'done' } : { status: 'refused' })
          await answered
        }
        return
      }
      case 4:
        return view.loadBefore()
      case 5:
        return this.publish?.()
      default:
        session.emit(...randomStep(session.state, this.#choose, this.#mint))
        if (run?.stopping) this.publish?.()
    }
  }

  flush(): void {
    this.publish?.()
  }

  /** As a store gives its parts back. */
  #arrival(inputId: string): EventDraft[] {
    const parts = [{ type: 'text' as const, text: 'Hi' }]
    if (this.session.state.run) return [{ type: 'input', inputId, parts, lane: 'queue' }]
    return [{ type: 'message', message: { role: 'user', id: inputId, at: 2, parts } }]
  }
}

test('every cell whose value changed is told, once a publication, and no cell whose value did not', async () => {
  const property = async (seed: number, steps: number) => {
    const world = new World(chances(seed))
    const { view, session } = world
    const cells = new Map<ViewCell, unknown>()
    const told = new Set<ViewCell>()
    // A listener that throws would be reported, and harm no other.
    const problems: string[] = []
    const watch = (cell: ViewCell): void => {
      if (cells.has(cell)) return
      cells.set(cell, shownBy(view, cell))
      cellsOf(view).subscribe(cell, () => {
        if (told.has(cell)) problems.push(`${cell} was told twice`)
        told.add(cell)
      })
    }
    for (const cell of CONSTANT) watch(cell)
    view.subscribe(() => {
      for (const [cell, before] of cells) {
        const now = shownBy(view, cell)
        const changed = cell === 'run' ? !isShallowEqual(before, now) : before !== now
        if (changed !== told.has(cell)) problems.push(`${cell} ${changed ? 'was not told' : 'was told of nothing'}`)
        cells.set(cell, now)
      }
      told.clear()
      for (const cell of possibleCells(view.getSnapshot().state)) watch(cell)
      for (const { id } of view.getSnapshot().outbox) {
        watch(`message:${id}`)
        watch(`part:${id}/0`)
      }
    })
    for (let i = 0; i < steps; i++) await world.step()
    world.flush()
    expect(view.getSnapshot().state).toBe(session.state)
    expect(problems).toEqual([])
  }
  await fc.assert(fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 80 }), property), SEEDED)
}, 600_000)

test('what is published after a flush is what a new view of the same state shows', async () => {
  const property = async (seed: number, steps: number) => {
    const world = new World(chances(seed))
    const { view, session } = world
    view.subscribe(() => {})
    for (let i = 0; i < steps; i++) {
      await world.step()
      // Whatever was made of what is shown now must not outlive it.
      for (const cell of possibleCells(view.getSnapshot().state)) shownBy(view, cell)
    }
    world.flush()
    while (view.getSnapshot().older.more) await view.loadBefore()
    const { outbox, messages, messageIds, requests, ...published } = view.getSnapshot()
    const fresh = createSessionView(session, { window: 1_000 })
    const { outbox: none, messages: all, messageIds: allIds, requests: open, ...known } = fresh.getSnapshot()

    expect(isDeepStrictEqual(published, known)).toBe(true)
    expect(none).toEqual([])
    expect(messages.slice(0, messages.length - outbox.length)).toEqual(all)
    expect(messages.map(({ id }) => id)).toEqual(messageIds)
    expect(messageIds.slice(allIds.length)).toEqual(outbox.map(({ id }) => id))
    expect(requests.map(({ request }) => request)).toEqual(open.map(({ request }) => request))
    for (const cell of possibleCells(session.state)) {
      if (cell === 'list' || cell === 'outbox' || cell.startsWith('request')) continue
      if (!isDeepStrictEqual(shownBy(view, cell), shownBy(fresh, cell))) {
        expect(shownBy(view, cell), cell).toEqual(shownBy(fresh, cell))
      }
    }
  }
  await fc.assert(fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 80 }), property), SEEDED)
}, 600_000)

function isShallowEqual(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.every((value, i) => value === b[i])
}
