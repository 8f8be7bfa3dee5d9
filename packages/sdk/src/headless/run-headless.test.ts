import { expect, onTestFinished, test } from 'vitest'
import type { AgentOptions, AgentTools } from '../agent/runtime.ts'
import { askUser, createAgent, defineTool } from '../index.ts'
import { type ScriptedReply, type ScriptedStep, scriptedModel } from '../testing/index.ts'
import { EXIT_CODES, type HeadlessOptions, type HeadlessRecord, runHeadless } from './index.ts'

type Given = Partial<HeadlessOptions> & {
  readonly steps?: readonly ScriptedStep[]
  readonly agent?: Partial<AgentOptions<AgentTools>>
}

/** Standard input that a test writes to, and ends. */
function pipe(...lines: readonly string[]) {
  const waiting: string[] = [...lines]
  let wake = (): void => {}
  let isEnded = false
  return {
    write(line: object | string): void {
      waiting.push(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)
      wake()
    },
    end(): void {
      isEnded = true
      wake()
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<string> {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (isEnded) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    },
  }
}

async function* ended(text: string | Uint8Array, ...more: readonly Uint8Array[]): AsyncGenerator<string | Uint8Array> {
  yield text
  yield* more
}

/** Begins one, and shows what it writes. `seen` resolves with the first record that fits, as soon as it is written. */
function begin({ steps = ['Hello.'], agent: options, ...given }: Given) {
  const model = scriptedModel(steps)
  const agent = createAgent({ model, ...options })
  onTestFinished(() => agent.close({ drainMs: 0 }))
  let written = ''
  const seekers: (() => void)[] = []
  const result = runHeadless({
    session: () => agent.session('s'),
    stdout: (text) => {
      written += text
      for (const seek of seekers) seek()
    },
    ...given,
  })
  const records = (): HeadlessRecord[] =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const seen = (isIt: (record: HeadlessRecord) => boolean): Promise<HeadlessRecord> =>
    new Promise((resolve) => {
      const seek = (): void => {
        const found = records().find(isIt)
        if (found) resolve(found)
      }
      seekers.push(seek)
      seek()
    })
  return { agent, model, result, written: () => written, records, seen }
}

const ndjson = { inputFormat: 'ndjson', outputFormat: 'ndjson' } as const
const say = (input: string, more: object = {}) => `${JSON.stringify({ type: 'input', input, ...more })}\n`

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  needsApproval: true,
  execute: ({ euros }) => `paid ${euros}`,
})
const paying: readonly ScriptedStep[] = [{ calls: [{ name: 'pay', input: { euros: 3 } }] }, 'Done.']

test('a text in, the reply out, and the same result whoever reads it', async () => {
  const { result, written, model } = begin({
    stdin: ended('What is\n', Uint8Array.of(0xe2, 0x82), Uint8Array.of(0xac)),
  })
  expect(await result).toMatchObject({
    v: 1,
    reason: 'stop',
    exitCode: 0,
    text: 'Hello.',
    recorded: true,
    sessionId: 's',
  })
  expect(written()).toBe('Hello.\n')
  expect(model.requests[0]?.messages.at(-1)).toMatchObject({ parts: [{ text: 'What is\n€' }] })
})

test('JSON in, one object out, with the output that fits the schema', async () => {
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const stdin = ended(JSON.stringify({ v: 1, input: [{ type: 'text', text: 'Count.' }], options: { output } }))
  const { result, written } = begin({ steps: ['{"n": 3}'], stdin, inputFormat: 'json', outputFormat: 'json' })
  expect(await result).toMatchObject({ reason: 'stop', output: { n: 3 } })
  expect(written()).toBe(`${JSON.stringify(await result)}\n`)
})

test('NDJSON begins with the version, has every event of the run in order, and ends with the result', async () => {
  const { result, records } = begin({ stdin: ended(say('Hi.')), ...ndjson })
  await result
  expect(records()[0]).toEqual({ type: 'start', v: 1, sessionId: 's', runId: (await result).runId })
  expect(records().at(-1)).toEqual(await result)
  const events = records().slice(1, -1)
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['input', 'run-start', 'message', 'turn-start', 'text-delta', 'usage', 'finish']),
  )
  const seqs = events.map((event) => ('seq' in event ? event.seq : 0) ?? 0)
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
})

test('each way a run can end has an exit code of its own', () => {
  const codes = Object.values(EXIT_CODES)
  expect(new Set(codes).size).toBe(codes.length)
})

test.each<[string, ScriptedStep, Partial<Given>, object]>([
  ['turns', { calls: [{ name: 'look' }] }, { run: { maxTurns: 1 } }, { reason: 'max-turns', exitCode: 3 }],
  ['length', { text: 'Once', stop: 'length' }, {}, { reason: 'length', exitCode: 4, text: 'Once' }],
  ['a failure', { error: new Error('No.') }, {}, { reason: 'error', exitCode: 1, error: { message: /No\./ } }],
])('a run that ends by %s says so', async (_how, step, given, expected) => {
  const look = defineTool({
    name: 'look',
    description: '.',
    input: { type: 'object' },
    effect: 'read',
    execute: () => 1,
  })
  const { result } = begin({ prompt: 'Go.', steps: [step], agent: { tools: [look] }, ...given })
  const { error, ...rest } = expected as { error?: { message: RegExp } }
  expect(await result).toMatchObject(rest)
  if (error) expect((await result).error?.message).toMatch(error.message)
})

test.each<[string, Partial<Given>, string]>([
  ['nothing', { stdin: ended(' \n') }, 'input.empty'],
  ['no JSON', { stdin: ended('hello'), inputFormat: 'json' }, 'input.invalid'],
  ['a list', { stdin: ended('[]'), inputFormat: 'json' }, 'input.invalid'],
  ['no input', { stdin: ended('{}'), inputFormat: 'json' }, 'input.invalid'],
  ['a typing error', { stdin: ended('{"input":"a","option":{}}'), inputFormat: 'json' }, 'input.invalid'],
  ['an unknown option', { stdin: ended('{"input":"a","options":{"max":1}}'), inputFormat: 'json' }, 'input.invalid'],
  ['an answer', { stdin: ended('{"type":"abort"}'), inputFormat: 'json' }, 'input.invalid'],
  ['no lines', { stdin: ended('\n\n'), ...ndjson }, 'input.empty'],
  ['a first line that is no input', { stdin: ended('{"type":"abort"}'), ...ndjson }, 'input.invalid'],
  ['parts that are none', { prompt: [{ type: 'text' }] as never }, 'input.invalid'],
  [
    'a setting with a typing error',
    { stdin: ended('{"input":"a","options":{"settings":{"temprature":0}}}'), inputFormat: 'json' },
    'config.invalid',
  ],
  [
    'metadata that is no object',
    { stdin: ended('{"type":"input","input":"a","options":{"metadata":"x"}}'), ...ndjson },
    'config.invalid',
  ],
  ['a limit without a budget', { prompt: 'a', run: { limits: [{ per: 'run', tokens: 1 }] } }, 'config.invalid'],
])('%s is refused before anything runs', async (_what, given, code) => {
  const { result, model } = begin(given)
  expect(await result).toMatchObject({ reason: 'invalid', exitCode: 2, error: { code }, recorded: false })
  expect(model.requests).toEqual([])
})

test('a later version is refused, and so is a session that cannot be opened: as a result, not as a rejection', async () => {
  const later = begin({ stdin: ended('{"v":2,"input":"a"}'), inputFormat: 'json', outputFormat: 'json' })
  expect(await later.result).toMatchObject({ reason: 'error', error: { code: 'protocol.too-new' } })
  expect(JSON.parse(later.written())).toEqual(await later.result)
  const missing = begin({ prompt: 'Hi.', session: () => later.agent.session('no', { create: false }) })
  expect(await missing.result).toMatchObject({ reason: 'error', exitCode: 1, error: { code: 'session.not-found' } })
})

test('requests are answered on standard input, and a wrong answer leaves them open', async () => {
  const stdin = pipe(say('Pay.', { id: 'in-1' }))
  const { result, seen, records } = begin({ stdin, steps: paying, agent: { tools: [pay] }, ...ndjson })
  const asked = await seen(({ type }) => type === 'request')
  const requestId = asked.type === 'request' ? asked.request.id : ''
  stdin.write('not JSON\n')
  stdin.write({ type: 'resolve', requestId, resolution: { decision: 'approve' } })
  stdin.write({ type: 'resolve', requestId, resolution: { decision: 'allow-once', editedInput: { euros: 1 } } })
  expect(await result).toMatchObject({ reason: 'stop', text: 'Done.', runId: 'run_in-1' })
  expect(records().filter(({ type }) => type === 'receipt')).toMatchObject([
    { line: 2, status: 'refused', error: { code: 'input.invalid' } },
    { line: 3, status: 'refused', error: { code: 'request.invalid-answer' } },
    { line: 4, status: 'done' },
  ])
  expect(records().find(({ type }) => type === 'tool-result')).toMatchObject({ result: { output: 'paid 1' } })
})

test('when standard input ends nobody is there: what is open is refused, and what is asked later too', async () => {
  const questions = [{ id: 'q', header: 'Which', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }]
  const steps: ScriptedStep[] = [
    { calls: [{ name: 'pay', input: { euros: 3 } }] },
    { calls: [{ name: 'ask_user', input: { questions } }] },
    'Then not.',
  ]
  const { result, records } = begin({ stdin: ended(say('Pay.')), steps, agent: { tools: [pay, askUser()] }, ...ndjson })
  expect(await result).toMatchObject({ reason: 'stop', text: 'Then not.' })
  expect(records().filter(({ type }) => type === 'request-resolved')).toMatchObject([
    { resolution: { decision: 'deny', note: 'Nobody is there to be asked.' } },
    { resolution: { skipped: true } },
  ])
})

test.each([
  ['text', 'text'],
  ['ndjson', 'json'],
  ['text', 'ndjson'],
] as const)('%s in and %s out: nobody is asked', async (inputFormat, outputFormat) => {
  const stdin = ended(inputFormat === 'text' ? 'Pay.' : say('Pay.'))
  const { result, agent } = begin({ stdin, inputFormat, outputFormat, steps: paying, agent: { tools: [pay] } })
  expect(await result).toMatchObject({ reason: 'stop' })
  const { history } = (await agent.session('s')).state
  const [call] = history[1]?.role === 'assistant' ? history[1].parts : []
  expect(call).toMatchObject({ result: { outcome: 'denied' } })
})

/** A reply that waits until the test lets it end. */
function held(text: string): ScriptedReply & { readonly begun: Promise<void>; end(): void } {
  let end = (): void => {}
  let begin = (): void => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const beforeEnd = (signal: AbortSignal): Promise<void> => {
    begin()
    return Promise.race([over, new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject()))])
  }
  return { text, beforeEnd, begun, end: () => end() }
}

test('further lines steer the run', async () => {
  const first = held('One.')
  const stdin = pipe(say('Begin.'))
  const { result, seen, records, model } = begin({ stdin, steps: [first, 'Two.'], ...ndjson })
  await first.begun
  stdin.write(say('And more.'))
  expect(await seen(({ type }) => type === 'receipt')).toMatchObject({ line: 2, status: 'steered' })
  first.end()
  expect(await result).toMatchObject({ reason: 'stop', text: 'Two.' })
  expect(model.requests).toHaveLength(2)
  expect(records().filter(({ type }) => type === 'finish')).toHaveLength(1)
})

test('a line that was read before the end and taken after it is a run of its own, and the last one’s result counts', async () => {
  const first = held('One.')
  const stdin = pipe(say('Begin.'), say('And more.'))
  const { result, records, agent } = begin({
    stdin,
    steps: [first, 'Two.'],
    ...ndjson,
    async session() {
      const session = await agent.session('s')
      const send = session.send.bind(session)
      session.send = async (...args) => {
        await first.begun
        first.end()
        await session.follow(session.state.run?.id ?? '').result
        return send(...args)
      }
      return session
    },
  })
  expect(await result).toMatchObject({ reason: 'stop', text: 'Two.' })
  expect(records().filter(({ type }) => type === 'finish')).toHaveLength(2)
  expect(records().find(({ type }) => type === 'receipt')).toMatchObject({ status: 'started' })
})

test('an abort stops the run and keeps what it said, from standard input and by the signal', async () => {
  const first = held('Once upon')
  const stdin = pipe(say('Tell.'))
  const told = begin({ stdin, steps: [first], ...ndjson })
  await first.begun
  stdin.write({ type: 'abort' })
  expect(await told.result).toMatchObject({ reason: 'aborted', exitCode: 130, text: 'Once upon', recorded: true })

  const second = held('Once upon')
  const stop = new AbortController()
  const stopped = begin({ prompt: 'Tell.', steps: [second], signal: stop.signal })
  await second.begun
  stop.abort()
  expect(await stopped.result).toMatchObject({ reason: 'aborted', exitCode: 130, text: 'Once upon' })
})

test('lines are heard where the result is all that is written, too', async () => {
  const first = held('Once upon')
  const stdin = pipe(say('Tell.'))
  const { result, written } = begin({ stdin, steps: [first], inputFormat: 'ndjson', outputFormat: 'json' })
  await first.begun
  stdin.write({ type: 'abort' })
  expect(await result).toMatchObject({ reason: 'aborted', text: 'Once upon' })
  expect(JSON.parse(written())).toEqual(await result)
})

test('who stops while the prompt is read opens no session', async () => {
  const stop = new AbortController()
  const { result, agent } = begin({ stdin: pipe('Not all'), signal: stop.signal })
  stop.abort()
  expect(await result).toMatchObject({ reason: 'aborted', exitCode: 130, recorded: false })
  expect((await agent.sessions()).items).toEqual([])
})

test('when nobody reads what is written the run is stopped, and nothing more is written', async () => {
  let writes = 0
  const stdout = () => {
    writes += 1
    return Promise.reject(new Error('EPIPE'))
  }
  const { result } = begin({ prompt: 'Tell.', steps: [held('Once upon')], outputFormat: 'ndjson', stdout })
  expect(await result).toMatchObject({ reason: 'aborted', exitCode: 130 })
  expect(writes).toBe(1)
})

test('a session that waits for answers goes on: with the input in their place, or with the answers', async () => {
  const steps: ScriptedStep[] = [...paying.slice(0, 1), 'Not paid.', ...paying]
  const { agent, result } = begin({ prompt: 'Leave it.', steps, agent: { tools: [pay] }, session: () => parked() })
  const parked = async () => {
    const session = await agent.session('s')
    session.run('Pay.')
    await new Promise<void>((resolve) => {
      session.subscribe(({ status }) => status === 'waiting' && resolve())
    })
    return session
  }
  expect(await result).toMatchObject({ reason: 'stop', text: 'Not paid.' })

  const stdin = pipe(say('Go on.'))
  let written = ''
  const again = runHeadless({
    ...ndjson,
    session: parked,
    stdin,
    stdout: (text) => {
      written += text
      const asked = /"type":"request".*?"id":"(req_[^"]+)"/.exec(text)?.[1]
      if (asked) stdin.write({ type: 'resolve', requestId: asked, resolution: { decision: 'allow-once' } })
    },
  })
  expect(await again).toMatchObject({ reason: 'stop', text: 'Done.' })
  expect(written).toMatch(/^\{"type":"start",/)
  expect(written).toContain('"status":"steered"')
})

test('who is to be told elsewhere hears of every event', async () => {
  const types: string[] = []
  const { result } = begin({ prompt: 'Hi.', outputFormat: 'json', onEvent: ({ type }) => types.push(type) })
  await result
  expect(types[0]).toBe('input')
  expect(types.at(-1)).toBe('finish')
})

test('who throws on being told elsewhere takes nothing from the output', async () => {
  let written = ''
  const { result } = begin({
    prompt: 'Hi.',
    outputFormat: 'ndjson',
    onEvent() {
      throw new Error('Elsewhere is broken.')
    },
    stdout: (text) => {
      written += text
    },
  })
  expect(await result).toMatchObject({ reason: 'stop' })
  expect(written).toContain('"type":"finish"')
})
