import { initialState, type SessionState } from '@stepwell/sdk'
import { createSessionView, type Schedule } from '@stepwell/sdk/view'
import { act, memo, Profiler, type ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { fakeSession } from '../../sdk/src/testing/fake-session.ts'
import {
  AgentProvider,
  MessageParts,
  type PartRenderers,
  useAgentSession,
  useMessage,
  useMessageIds,
  useQueue,
  useUsage,
} from '../src/index.ts'
import { CALLS_A_RENDER, Probe, render, Seen } from './render.tsx'

/** How often a component of each kind was called. */
const counts = { list: 0, row: 0, text: 0, call: 0 }

const renderers: PartRenderers = {
  text: ({ part }) => {
    counts.text++
    return part.text
  },
  toolCall: ({ part }) => {
    counts.call++
    return part.state
  },
}

const Row = memo(function Row({ id }: { readonly id: string }): ReactNode {
  counts.row++
  useMessage(id)
  return (
    <p>
      <MessageParts id={id} renderers={renderers} />
    </p>
  )
})

function List(): ReactNode {
  counts.list++
  return useMessageIds().map((id) => <Row key={id} id={id} />)
}

/** Since it was asked last. */
function counted(): typeof counts {
  const { list, row, text, call } = counts
  Object.assign(counts, { list: 0, row: 0, text: 0, call: 0 })
  const [a, b, c, d] = [list, row, text, call].map((calls) => calls / CALLS_A_RENDER)
  return { list: a, row: b, text: c, call: d } as typeof counts
}

/** Frames that a test gives. */
function frames(): { readonly schedule: Schedule; next(): void } {
  let waiting: (() => void) | undefined
  return {
    schedule(publish) {
      waiting = publish
      return () => {
        waiting = undefined
      }
    },
    next() {
      const publish = waiting
      waiting = undefined
      publish?.()
    },
  }
}

function stateOf(messages: number): SessionState {
  const history = Array.from({ length: messages }, (_, i) => ({
    role: 'user' as const,
    id: `m${i}`,
    at: i,
    parts: [{ type: 'text' as const, text: `Message ${i}` }],
  }))
  return { ...initialState('s'), seq: messages, history }
}

const MODEL = { provider: 'p', model: 'm', api: 'a' }
const TURN = {
  type: 'turn-start',
  runId: 'r',
  turn: 1,
  attempt: 1,
  messageId: 'reply',
  purpose: 'reply',
  model: MODEL,
} as const
const CALL = { type: 'tool-call', callId: 'c', toolName: 't', input: {}, state: 'ready' } as const
const REPLY = { role: 'assistant', id: 'reply', at: 1, parts: [{ type: 'text', text: 'x' }, CALL] } as const
const TOTALS = { ...initialState('s').usage.total, requests: 1, outputTokens: 5 }
const USAGE = {
  type: 'usage',
  runId: 'r',
  call: { outputTokens: 5 },
  run: TOTALS,
  total: TOTALS,
  model: 'm',
  requestedModel: 'm',
  stop: 'tool-calls',
} as const

function streaming(messages: number) {
  const session = fakeSession(stateOf(messages))
  const { schedule, next } = frames()
  const view = createSessionView(session, { schedule, window: messages })
  const usage = new Seen<unknown>()
  const queue = new Seen<unknown>()
  const shown = render(
    <AgentProvider view={view}>
      <List />
      <Probe useIt={useUsage} seen={usage} />
      <Probe useIt={useQueue} seen={queue} />
    </AgentProvider>,
  )
  counted()
  act(() => {
    session.emit({ type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} }, TURN)
    session.emit({ type: 'text-delta', part: 0, from: 0, text: 'x' })
    next()
  })
  counted()
  return { session, next, view, usage, queue, container: shown.container }
}

describe.each([2, 1_000])('with %i messages', (messages) => {
  it('a frame of tokens renders the one part that shows them, and nothing else', () => {
    const { session, next, usage, queue, container } = streaming(messages)
    const before = [usage.renders, queue.renders]
    let from = 1
    for (let frame = 0; frame < 10; frame++) {
      act(() => {
        for (let token = 0; token < 20; token++) {
          session.emit({ type: 'text-delta', part: 0, from, text: 'yz' })
          from += 2
        }
        next()
      })
      expect(counted()).toEqual({ list: 0, row: 0, text: 1, call: 0 })
    }
    expect([usage.renders, queue.renders]).toEqual(before)
    expect(container.textContent).toContain(`x${'yz'.repeat(200)}`)
  })

  it('tools at work, results, usage and the queue leave the list alone', () => {
    const { session, next, usage, queue } = streaming(messages)
    act(() => {
      session.emit({ type: 'message', message: REPLY })
      session.emit({ type: 'tool-start', callId: 'c', toolName: 't', effect: 'read' })
    })
    counted()
    const before = [usage.renders, queue.renders]
    act(() => {
      session.emit({ type: 'tool-output', callId: 'c', text: 'Half of it.' })
      session.emit(USAGE)
      next()
    })
    expect(counted()).toEqual({ list: 0, row: 0, text: 0, call: 1 })
    act(() => {
      session.emit({
        type: 'tool-result',
        result: { callId: 'c', toolName: 't', outcome: 'ok', output: 'Done.', durationMs: 1 },
      })
      session.emit({ type: 'input', inputId: 'q', parts: [{ type: 'text', text: 'Next' }], lane: 'queue' })
      next()
    })
    expect(counted()).toEqual({ list: 0, row: 0, text: 0, call: 1 })
    expect([usage.renders, queue.renders], 'those who show it').toEqual(before.map((renders) => renders + 1))
  })

  it('what is committed stays the same objects while a reply streams, and when it is committed itself', () => {
    const { session, next, view } = streaming(messages)
    const committed = view.getSnapshot().messages.slice(0, messages)
    const isSame = () => committed.every((item, i) => item === view.getSnapshot().messages[i])
    act(() => {
      session.emit({ type: 'text-delta', part: 0, from: 1, text: 'yz' })
      next()
    })
    expect([view.getSnapshot().messages.length, isSame()]).toEqual([messages + 1, true])
    act(() => session.emit({ type: 'message', message: REPLY }))
    expect([view.getSnapshot().messages.at(-1)?.status, isSame()]).toEqual(['committed', true])
  })
})

it('the row of a reply is the same element before and after it is committed', () => {
  const { session, container } = streaming(2)
  const row = container.querySelectorAll('p')[2]
  act(() =>
    session.emit({
      type: 'message',
      message: { role: 'assistant', id: 'reply', at: 1, parts: [{ type: 'text', text: 'x' }] },
    }),
  )
  expect(container.querySelectorAll('p').length).toBe(3)
  expect(container.querySelectorAll('p')[2]).toBe(row)
  expect(row?.textContent).toBe('x')
})

it('20,000 deltas over 1,000 messages render as often as there were frames', () => {
  const { session, next } = streaming(1_000)
  const FRAMES = 100
  for (let frame = 0; frame < FRAMES; frame++) {
    act(() => {
      for (let i = 0; i < 200; i++) {
        session.emit({ type: 'text-delta', part: 0, from: 1 + frame * 200 + i, text: '.' })
      }
      next()
    })
  }
  expect(counted()).toEqual({ list: 0, row: 0, text: FRAMES, call: 0 })
})

it('useAgentSession renders once a frame, and its history stays the same array', () => {
  const session = fakeSession(stateOf(10))
  const { schedule, next } = frames()
  const seen = new Seen<ReturnType<typeof useAgentSession>>()
  const commits: string[] = []
  render(
    <Profiler id="app" onRender={(_id, phase) => commits.push(phase)}>
      <AgentProvider view={createSessionView(session, { schedule })}>
        <Probe useIt={() => useAgentSession()} seen={seen} />
      </AgentProvider>
    </Profiler>,
  )
  act(() => session.emit({ type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} }, TURN))
  const { history } = seen.current
  const before = commits.length
  for (let frame = 0; frame < 5; frame++) {
    act(() => {
      for (let i = 0; i < 20; i++) session.emit({ type: 'text-delta', part: 0, from: frame * 20 + i, text: '.' })
      next()
    })
  }
  expect(commits.length - before).toBe(5)
  expect(seen.current.history).toBe(history)
  expect(seen.current.messages.length).toBe(11)
})
