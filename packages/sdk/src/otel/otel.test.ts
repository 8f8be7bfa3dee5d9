import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { AgentOptions, AgentTools } from '../agent/runtime.ts'
import { createAgent, defineTool, memoryStore } from '../index.ts'
import { manualClock, providerFailure, type ScriptedStep, scriptedModel } from '../testing/index.ts'
import { type OtelOptions, otel } from './index.ts'

/** Gives what was measured when it is asked. */
class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

const exporter = new InMemorySpanExporter()
const reader = new Reader()

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})

beforeEach(() => exporter.reset())

afterAll(() => {
  context.disable()
  trace.disable()
  metrics.disable()
})

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'a secret page',
})

type Given = Partial<AgentOptions<AgentTools>> & { readonly otel?: OtelOptions }

function agentOf(steps: readonly ScriptedStep[], { otel: options, ...given }: Given = {}) {
  const model = scriptedModel(steps, { id: 'mistral', model: 'large' })
  const agent = createAgent({ name: 'helper', version: '2', model, plugins: [otel(options)], ...given })
  onTestFinished(() => agent.close({ drainMs: 0 }))
  return agent
}

const spans = () => exporter.getFinishedSpans()
const named = (name: string) => spans().filter((span) => span.name === name)
const only = (name: string): ReadableSpan => {
  const [span, ...more] = named(name)
  if (span === undefined || more.length > 0) throw new Error(`${named(name).length} spans are called ${name}`)
  return span
}

/** `invoke_agent helper > turn > chat large`: a span with those it is within. */
function path(span: ReadableSpan): string {
  const parent = spans().find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)
  return parent === undefined ? span.name : `${path(parent)} > ${span.name}`
}

const tree = () => spans().map(path).sort()

/** What one metric has of the tests so far, by attributes. */
async function measured(name: string): Promise<DataPoint<Histogram>[]> {
  const { resourceMetrics } = await reader.collect()
  const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
  return (all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []) as DataPoint<Histogram>[]
}

test('a run, its turns, their attempts and the tools, by the conventions', async () => {
  const agent = agentOf([{ calls: [{ name: 'look' }] }, 'I looked.'], { tools: [look] })
  const session = await agent.session('s-1')
  const { runId } = await session.run('Look.').result
  const run = 'invoke_agent helper'
  expect(tree()).toEqual([
    run,
    `${run} > turn`,
    `${run} > turn`,
    `${run} > turn > chat large`,
    `${run} > turn > chat large`,
    `${run} > turn > execute_tool look`,
  ])
  expect(only(run).attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'mistral_ai',
    'gen_ai.request.model': 'large',
    'gen_ai.agent.name': 'helper',
    'gen_ai.agent.version': '2',
    'gen_ai.conversation.id': 's-1',
    'stepwell.run.id': runId,
    'stepwell.run.reason': 'stop',
  })
  expect(named('chat large').map(({ kind, attributes }) => ({ kind, ...attributes }))).toMatchObject([
    {
      kind: SpanKind.CLIENT,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'large',
      'gen_ai.response.model': 'large',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    },
    { 'gen_ai.response.finish_reasons': ['stop'] },
  ])
  expect(only('execute_tool look').attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'look',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': expect.any(String),
    'stepwell.tool.outcome': 'ok',
    'stepwell.tool.effect': 'read',
  })
})

test('what a tool traces is a child of its span, and the run is one of whoever asked for it', async () => {
  const tracer = trace.getTracer('app')
  const fetching = defineTool({
    name: 'fetch',
    description: 'Fetches.',
    input: { type: 'object' },
    async execute(): Promise<string> {
      await Promise.resolve()
      return tracer.startActiveSpan('GET /page', async (span) => {
        await Promise.resolve()
        span.end()
        return 'done'
      })
    },
  })
  const agent = agentOf([{ calls: [{ name: 'fetch' }] }, 'Done.'], { tools: [fetching] })
  await tracer.startActiveSpan('POST /chat', async (span) => {
    await agent.run('Fetch.').result
    span.end()
  })
  expect(path(only('GET /page'))).toBe('POST /chat > invoke_agent helper > turn > execute_tool fetch > GET /page')
})

test('runs at once in one process keep to their own spans', async () => {
  const tracer = trace.getTracer('app')
  const store = memoryStore()
  const steps = Array.from({ length: 20 }, (): ScriptedStep => ({ text: 'Yes.' }))
  const agent = agentOf(steps, { store })
  const ask = (name: string) =>
    tracer.startActiveSpan(name, async (span) => {
      const session = await agent.session(name)
      await session.run('Hi.').result
      await session.run('Hi again.').result
      span.end()
    })
  await Promise.all(['a', 'b', 'c'].map(ask))
  for (const name of ['a', 'b', 'c']) {
    const mine = spans().filter(({ attributes }) => attributes['gen_ai.conversation.id'] === name)
    expect(mine.map(path).sort()).toEqual([
      `${name} > invoke_agent helper`,
      `${name} > invoke_agent helper`,
      `${name} > invoke_agent helper > turn > chat large`,
      `${name} > invoke_agent helper > turn > chat large`,
    ])
  }
})

test('an attempt that fails names the code, and so does a run that ends with it', async () => {
  const steps = [
    { error: providerFailure('provider.overloaded', { retryable: true }) },
    { error: providerFailure('provider.auth') },
  ]
  const agent = agentOf(steps, { retries: { baseMs: 1 } })
  await agent.run('Hi.').result
  const failed = { code: SpanStatusCode.ERROR }
  expect(named('chat large').map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
    [failed, 'provider.overloaded'],
    [failed, 'provider.auth'],
  ])
  expect(named('chat large').map(({ attributes }) => attributes['stepwell.attempt'])).toEqual([1, 2])
  expect(named('turn')).toHaveLength(1)
  expect(only('invoke_agent helper')).toMatchObject({ status: failed, attributes: { 'error.type': 'provider.auth' } })
})

test('a tool that began early for an attempt that came to nothing has a span without an outcome', async () => {
  const error = providerFailure('provider.stream-truncated', { retryable: true })
  const steps: ScriptedStep[] = [{ calls: [{ name: 'look' }], error, beforeEnd: () => began }, 'Done.']
  let begin = (): void => {}
  const began = new Promise<void>((resolve) => {
    begin = resolve
  })
  const early = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effect: 'read',
    execute: () => begin(),
  })
  await agentOf(steps, { tools: [early], retries: { baseMs: 1 } }).run('Look.').result
  expect(only('execute_tool look').attributes).not.toHaveProperty('stepwell.tool.outcome')
  expect(named('chat large').map(({ attributes }) => attributes['error.type'])).toEqual([
    'provider.stream-truncated',
    undefined,
  ])
})

test('a model that takes over is an attempt of the same turn', async () => {
  const spare = scriptedModel(['Hello.'], { id: 'xai', model: 'spare' })
  const agent = agentOf([{ error: providerFailure('provider.quota') }], { fallbacks: [spare] })
  await agent.run('Hi.').result
  expect(only('chat large').attributes['error.type']).toBe('provider.quota')
  expect(only('chat spare').attributes).toMatchObject({ 'gen_ai.provider.name': 'x_ai' })
  expect(path(only('chat spare'))).toBe('invoke_agent helper > turn > chat spare')
})

test.each([
  ['throws', false, 'error', 'tool.failed'],
  ['is refused', true, undefined, undefined],
])('a tool that %s', async (_what, needsApproval, outcome, error) => {
  const tool = defineTool({
    name: 'write',
    description: 'Writes.',
    input: { type: 'object' },
    needsApproval,
    execute: () => Promise.reject(new Error('a secret')),
  })
  const agent = agentOf([{ calls: [{ name: 'write' }] }, 'Done.'], { tools: [tool], unattended: true })
  await agent.run('Write.').result
  const [span] = named('execute_tool write')
  // What never ran is no execution.
  expect(span?.attributes['stepwell.tool.outcome']).toBe(outcome)
  expect(span?.attributes['error.type']).toBe(error)
})

test('nothing of what was said is in a span or a metric, unless it is asked for', async () => {
  const steps: ScriptedStep[] = [
    { text: 'secret one', calls: [{ name: 'look', input: { q: 'secret two' } }] },
    'secret three',
  ]
  await agentOf(steps, { tools: [look], instructions: 'secret four', otel: { events: true } }).run('secret five').result
  const told = spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
  expect(JSON.stringify(told)).not.toContain('secret')
  exporter.reset()

  await agentOf(steps, { tools: [look], otel: { content: true } }).run('secret five').result
  const [first, second] = named('chat large').map(({ attributes }) => attributes)
  const call = { type: 'tool_call', id: expect.any(String), name: 'look', arguments: { q: 'secret two' } }
  const said = { role: 'assistant', parts: [{ type: 'text', content: 'secret one' }, call] }
  const asked = { role: 'user', parts: [{ type: 'text', content: 'secret five' }] }
  expect(JSON.parse(String(first?.['gen_ai.input.messages']))).toEqual([asked])
  expect(JSON.parse(String(first?.['gen_ai.output.messages']))).toEqual([{ ...said, finish_reason: 'tool_call' }])
  expect(JSON.parse(String(second?.['gen_ai.input.messages']))).toEqual([
    asked,
    said,
    { role: 'tool', parts: [{ type: 'tool_call_response', id: expect.any(String), response: 'a secret page' }] },
  ])
  expect(only('execute_tool look').attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"q":"secret two"}',
    'gen_ai.tool.call.result': '"a secret page"',
  })
})

test('events are on the spans where they are asked for', async () => {
  const pay = defineTool({
    name: 'pay',
    description: '.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 1,
  })
  const steps = [
    { error: providerFailure('provider.overloaded', { retryable: true }) },
    { calls: [{ name: 'pay' }] },
    'Paid.',
  ]
  for (const events of [false, true]) {
    exporter.reset()
    const session = await agentOf(steps, { tools: [pay], retries: { baseMs: 1 }, otel: { events } }).session()
    const run = session.run('Pay.')
    for await (const event of run) {
      if (event.type === 'request') await session.resolve(event.request.id, 'allow-once')
    }
    const told = spans().flatMap((span) => span.events.map(({ name, attributes }) => [name, attributes]))
    expect(told).toEqual(
      events
        ? [
            ['stepwell.retrying', { 'stepwell.retrying.attempt': 2, 'stepwell.retrying.delay_ms': expect.any(Number) }],
            ['stepwell.request', expect.objectContaining({ 'stepwell.request.kind': 'approval' })],
            [
              'stepwell.request_resolved',
              expect.objectContaining({ 'stepwell.request_resolved.decision': 'allow-once' }),
            ],
          ]
        : [],
    )
  }
})

test('a run that another process goes on with has a span in each, and none is left open', async () => {
  const pay = defineTool({
    name: 'pay',
    description: '.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 1,
  })
  const store = memoryStore()
  const shared = { ...store, close: async () => {} }
  const first = agentOf([{ calls: [{ name: 'pay' }] }], { tools: [pay], store: shared })
  const session = await first.session('s')
  session.run('Pay.')
  await new Promise<void>((resolve) => {
    session.subscribe(({ status }) => status === 'waiting' && resolve())
  })
  await first.close()
  expect(only('invoke_agent helper').attributes).toMatchObject({ 'stepwell.run.left': true })
  exporter.reset()

  const second = agentOf(['Paid.'], { tools: [pay], store: shared })
  const again = await second.session('s')
  const [request] = again.state.pending.requests
  const run = again.follow(again.state.run?.id ?? '')
  await again.resolve(request?.id ?? '', 'allow-once')
  expect((await run.result).reason).toBe('stop')
  expect(only('invoke_agent helper').attributes).toMatchObject({
    'stepwell.run.resumed': true,
    'stepwell.run.reason': 'stop',
  })
  expect(path(only('execute_tool pay'))).toBe('invoke_agent helper > execute_tool pay')
})

test('tokens and durations are measured, with the boundaries of the conventions', async () => {
  const clock = manualClock(1_000_000)
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    execute: () => {
      clock.advance(400)
      return 'waited'
    },
  })
  const usage = { inputTokens: 100, cacheReadTokens: 20, outputTokens: 7 }
  const steps: ScriptedStep[] = [
    { calls: [{ name: 'wait' }], usage, before: async () => void clock.advance(1_500) },
    { text: 'Done.', usage: null },
  ]
  const model = scriptedModel(steps, { id: 'measured', model: 'm' })
  await agentOf([], { model, name: 'timer', tools: [wait], clock }).run('Wait.').result
  const of = async (name: string, key: string, value: string) =>
    (await measured(name)).filter(({ attributes }) => attributes[key] === value)

  const tokens = await of('gen_ai.client.token.usage', 'gen_ai.provider.name', 'measured')
  expect(tokens.map(({ attributes, value }) => [attributes['gen_ai.token.type'], value.count, value.sum])).toEqual([
    ['input', 1, 120],
    ['output', 1, 7],
  ])
  expect(tokens[0]?.value.buckets.boundaries.slice(0, 4)).toEqual([1, 4, 16, 64])
  const [calls] = await of('gen_ai.client.operation.duration', 'gen_ai.provider.name', 'measured')
  expect(calls?.value).toMatchObject({ count: 2, sum: 1.5 })
  expect(calls?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'measured',
    'gen_ai.request.model': 'm',
    'gen_ai.response.model': 'm',
  })
  const [runs] = await of('gen_ai.invoke_agent.duration', 'gen_ai.agent.name', 'timer')
  expect(runs?.value).toMatchObject({ count: 1, sum: 1.9 })
  const [tools] = await of('gen_ai.execute_tool.duration', 'gen_ai.tool.name', 'wait')
  expect(tools?.value).toMatchObject({ count: 1, sum: 0.4 })
})

test('without a provider it changes nothing', async () => {
  trace.disable()
  onTestFinished(() => {
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  })
  const agent = agentOf([{ calls: [{ name: 'look' }] }, 'I looked.'], {
    tools: [look],
    otel: { events: true, content: true },
  })
  expect(await agent.run('Look.').text()).toBe('I looked.')
  expect(spans()).toEqual([])
})
