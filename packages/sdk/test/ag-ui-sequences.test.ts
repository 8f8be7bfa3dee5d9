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
import { isCurrent } from '../src/wire/ag-ui/transcript.ts'
import { AGENTS, type AGUIClient, type AGUIVersion, VERSIONS } from './fixtures/ag-ui.ts'

const SEQUENCES = process.env.STEPWELL_DEEP ? 2_000 : 30
const STEPS = 120

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

/** What the client made of a stream, verified by its own package. */
async function read(client: AGUIClient, events: readonly AGUIEvent[]): Promise<void> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  Object.assign(client, { fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }) })
  await client.runAgent({
    resume: client.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'cancelled' })),
  })
}

type Seen = Map<string, { readonly content: unknown; readonly calls: readonly (readonly unknown[])[] }>

/** What there is to see of a client but results and reasoning, by id. */
function seen({ messages }: AGUIClient, unfinished: ReadonlySet<string>): Seen {
  const said: Seen = new Map()
  for (const { id, role, content = '', toolCalls = [] } of messages) {
    if ((role !== 'user' && role !== 'assistant') || unfinished.has(id)) continue
    const calls = toolCalls.map((call) => [call.id, call.function.name, JSON.parse(call.function.arguments)])
    said.set(id, { content, calls })
  }
  return said
}

const results = ({ messages }: AGUIClient): (string | undefined)[] =>
  messages.flatMap(({ role, toolCallId }) => (role === 'tool' ? [toolCallId] : [])).sort()

/** The same of the session. */
function expected({ history }: SessionState): Seen {
  const said: Seen = new Map()
  for (const message of history) {
    const parts = message.role === 'assistant' ? message.parts : []
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
    const content = messageText(message)
    if (message.role === 'note' || (message.role === 'assistant' && content === '' && calls.length === 0)) continue
    said.set(message.id, { content, calls: calls.map(({ callId, toolName, input }) => [callId, toolName, input]) })
  }
  return said
}

const answered = ({ history }: SessionState): string[] =>
  history
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .flatMap((part) => (part.type === 'tool-call' && part.result !== undefined ? [part.callId] : []))
    .sort()

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
    at = Math.max(at, 1) + choose(10)
  }
  const last = states.at(-1) as SessionState
  const transcript = new ClientTranscript(client.messages)
  const emitter = new Emitter(transcript)
  await read(client, [
    { type: 'RUN_STARTED', threadId: 's', runId: 'r' },
    ...emitter.begin(last, [], isCurrent(last, transcript, new Set())),
    ...emitter.show(last),
    ...emitter.close(),
    ended({ reason: 'stop' }, names, []),
  ])
  return client
}

it.each(VERSIONS)(`gives %s nothing it refuses, of ${SEQUENCES} random histories, cut anywhere`, async (version) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const states = statesOf(seed)
      const client = await follow(version, states, chances(seed + 1))
      expect(complaints.mock.calls).toEqual([])
      const last = states.at(-1) as SessionState
      // Of what is still being written and what waits there is no last word yet.
      const { message, lanes } = last.pending
      const unfinished = [message, ...lanes.steer, ...lanes.queue].map((one) => one?.id ?? '')
      expect(seen(client, new Set(unfinished))).toEqual(expected(last))
      expect(results(client)).toEqual(answered(last))
    }),
    { numRuns: SEQUENCES },
  )
})
