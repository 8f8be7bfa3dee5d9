import { EventSchema } from '@ag-ui/core/schemas'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AgentEvent } from '../src/protocol/events.ts'
import { reduce } from '../src/protocol/reduce.ts'
import { initialState, type SessionState } from '../src/protocol/state.ts'
import { messageText } from '../src/protocol/text.ts'
import { chances, randomStep, recoveryStep } from '../src/testing/random-steps.ts'
import { ClientTranscript } from '../src/wire/ag-ui/client-transcript.ts'
import { Emitter } from '../src/wire/ag-ui/emitter.ts'
import type { AGUIEvent, Dialect } from '../src/wire/ag-ui/events.ts'
import { ended, waiting } from '../src/wire/ag-ui/outcome.ts'
import { isCurrent, transcriptOf } from '../src/wire/ag-ui/transcript.ts'
import { AGENTS, type AGUIClient, type AGUIMessageSeen, type AGUIVersion, VERSIONS } from './fixtures/ag-ui.ts'

const SEQUENCES = process.env.STEPWELL_DEEP ? 2_000 : 20
const STEPS = 120
const NOBODY = new ClientTranscript([])

const complaints = vi.fn()
beforeEach(() => {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(complaints)
})
afterEach(() => vi.restoreAllMocks())

/** States of a session in their order, as a legal owner makes them. */
function statesOf(seed: number): SessionState[] {
  const choose = chances(Math.imul(seed, 0x9e3779b1))
  let minted = 0
  const mint = (prefix: string): string => `${prefix}-${++minted}`
  const states = [initialState('s')]
  let seq = 0
  for (let step = 0; step < STEPS; step++) {
    const state = states.at(-1) as SessionState
    const isLost = choose(40) === 0 ? recoveryStep(state, choose) : []
    const drafts = isLost.length > 0 ? isLost : randomStep(state, choose, mint)
    const events = drafts.map((draft) => ({ ...draft, seq: ++seq, at: seq }) as AgentEvent)
    states.push(reduce(state, events))
  }
  return states
}

/** What the client makes of a stream, verified by its own package. All of it fits the schema of 1.0 in any case. */
async function read(client: AGUIClient, events: readonly AGUIEvent[]): Promise<void> {
  for (const event of events) EventSchema.parse(event)
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  Object.assign(client, { fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }) })
  await client.runAgent({
    resume: client.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'cancelled' })),
  })
}

interface Seen {
  readonly replies: Record<string, { readonly content: unknown; readonly calls: Record<string, unknown> }>
  readonly results: Record<string, unknown>
}

/** Replies with their calls, and results. A call whose name came late stands after the others. */
function seenIn(messages: readonly AGUIMessageSeen[]): Seen {
  const seen: Seen = { replies: {}, results: {} }
  for (const { id, role, content = '', toolCalls = [], toolCallId = '' } of messages) {
    if (role === 'tool') seen.results[toolCallId] = content
    if (role !== 'assistant') continue
    const calls = toolCalls.map((call) => [call.id, [call.function.name, parsed(call.function.arguments)]])
    seen.replies[id] = { content, calls: Object.fromEntries(calls) }
  }
  return seen
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The client shows this state: every word of it, and no reply that is not in it. */
function expectShown({ messages }: AGUIClient, state: SessionState): void {
  const { history, pending } = state
  const replies = [...history, ...(pending.message ? [pending.message] : [])].slice(-200)
  const { message: _shownAbove, ...rest } = pending
  const here = transcriptOf({ ...state, history: replies, pending: rest }, NOBODY)
  expect(seenIn(messages)).toEqual(seenIn(here))
  for (const message of history) {
    if (message.role !== 'user') continue
    expect(messages.find(({ id }) => id === message.id)?.content).toBe(messageText(message))
  }
}

async function follow(version: AGUIVersion, states: readonly SessionState[], choose: (n: number) => number) {
  const client = AGENTS[version]({ url: 'http://nowhere.test', threadId: 's' })
  const dialect: Dialect = version === '0.0.59' ? '0' : '1.0'
  const names = { threadId: 's', runId: 'r', dialect }
  let at = 0
  while (at < states.length) {
    // Each stream begins where the session is by then, skips what the network does not take, and is cut anywhere.
    const first = states[at] as SessionState
    const transcript = new ClientTranscript(client.messages)
    const emitter = new Emitter(transcript)
    const events: AGUIEvent[] = [{ type: 'RUN_STARTED', threadId: 's', runId: 'r' }]
    events.push(...emitter.begin(first, [], isCurrent(first, transcript, new Set())))
    let last = first
    for (let length = choose(40); length > 0 && at < states.length; length--) {
      last = states[at] as SessionState
      events.push(...emitter.show(last))
      at += 1 + (choose(3) === 0 ? choose(5) : 0)
    }
    events.push(...emitter.close())
    const { requests } = last.pending
    const reason = (['stop', 'error', 'aborted'] as const)[choose(3)] ?? 'stop'
    const isParked = last.status === 'waiting' && requests.length > 0
    events.push(isParked ? waiting(requests, names, []) : ended({ reason }, names, []))
    await read(client, events)
    expectShown(client, last)
    at = Math.max(at, 1) + choose(10)
  }
}

it.each(VERSIONS)(`gives %s nothing it refuses, of ${SEQUENCES} random histories, cut anywhere`, async (version) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      await follow(version, statesOf(seed), chances(seed + 1))
      expect(complaints.mock.calls).toEqual([])
    }),
    { numRuns: SEQUENCES },
  )
})
