import { ProviderError, StepwellError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Usage } from '../protocol/usage.ts'
import type { ModelCapabilities, ModelEvent, ModelProvider, ModelRequest } from '../providers/provider.ts'

export interface ScriptedReply {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Default: `tool-calls` with calls, else `stop`. */
  readonly stop?: Extract<ModelEvent, { type: 'done' }>['stop']
  /** Default: derived from the lengths, the same every time. `null`: the model says nothing about it. */
  readonly usage?: Usage | null
  /** Thrown in place of the end. */
  readonly error?: Error
  /** The stream ends without an end. */
  readonly cut?: true
  /** Awaited before the first event, and between the last event and the end: for tests that stop the world there. */
  readonly before?: (signal: AbortSignal) => Promise<void>
  readonly beforeEnd?: (signal: AbortSignal) => Promise<void>
  /** Awaited before each further delta, for demonstrations. */
  readonly between?: () => Promise<void>
}

export interface ScriptedCall {
  readonly name: string
  readonly input?: JsonObject
  /** In place of `input`: exactly what the model writes. */
  readonly inputText?: string
  /** The provider's id of the call. */
  readonly id?: string
}

/** A reply, its text alone, the events themselves, or a function of the request that gives one of these. */
export type ScriptedStep =
  | string
  | ScriptedReply
  | readonly (readonly ModelEvent[])[]
  | ((request: ModelRequest, call: number) => Exclude<ScriptedStep, (...args: never[]) => unknown>)

export interface ScriptedModel extends ModelProvider {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[]
  /** Throws `testing.leftover-steps` when not every step was used. */
  assertDone(): void
}

export interface ScriptedModelOptions {
  readonly id?: string
  readonly model?: string
  readonly api?: string
  readonly capabilities?: ModelCapabilities
  /** After the last step begin again with the first. Default false: one more call is an error. */
  readonly repeat?: boolean
}

/**
 * A model that says what it is told to: each call takes the next step. Loud on a call too many
 * (`testing.unexpected-call`), and on steps left over when `assertDone()` is asked.
 */
export function scriptedModel(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = []
  const { id = 'scripted', model = 'scripted', api = 'scripted', capabilities = {}, repeat = false } = options

  return {
    id,
    model,
    api,
    capabilities,
    requests,
    async *stream(request, { signal }) {
      const call = requests.push(request)
      const step = steps[repeat ? (call - 1) % steps.length : call - 1]
      if (step === undefined) {
        throw new StepwellError(
          'testing.unexpected-call',
          `The script has ${steps.length} steps; this is call ${call}.`,
        )
      }
      const said = typeof step === 'function' ? step(request, call) : step
      if (isEvents(said)) {
        yield* said
        return
      }
      yield* play(typeof said === 'string' ? { text: said } : said, signal)
    },
    assertDone() {
      if (requests.length >= steps.length) return
      throw new StepwellError(
        'testing.leftover-steps',
        `The script has ${steps.length} steps; only ${requests.length} were asked for.`,
      )
    },
  }
}

function isEvents(
  step: ScriptedReply | string | readonly (readonly ModelEvent[])[],
): step is readonly (readonly ModelEvent[])[] {
  return Array.isArray(step)
}

async function* play(reply: ScriptedReply, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
  const { reasoning = '', text = '', calls = [] } = reply
  yield []
  await reply.before?.(signal)
  let part = 0
  const batches: ModelEvent[][] = []
  if (reasoning !== '') {
    for (const piece of words(reasoning)) batches.push([{ type: 'reasoning', part, text: piece }])
    part++
  }
  if (text !== '') {
    for (const piece of words(text)) batches.push([{ type: 'text', part, text: piece }])
    part++
  }
  for (const { name, input = {}, inputText = JSON.stringify(input), id } of calls) {
    const half = Math.ceil(inputText.length / 2)
    batches.push([{ type: 'tool-input', part, text: inputText.slice(0, half), name, ...(id !== undefined && { id }) }])
    batches.push([
      { type: 'tool-input', part, text: inputText.slice(half) },
      { type: 'tool-input-end', part },
    ])
    part++
  }
  for (const batch of batches) {
    signal.throwIfAborted()
    yield batch
    await reply.between?.()
  }
  await reply.beforeEnd?.(signal)
  signal.throwIfAborted()
  if (reply.error) throw reply.error
  if (reply.cut) return
  const said = reasoning.length + text.length + calls.reduce((length, call) => length + JSON.stringify(call).length, 0)
  const usage =
    reply.usage === null ? undefined : (reply.usage ?? { inputTokens: 10, outputTokens: Math.ceil(said / 4) })
  yield [{ type: 'done', stop: reply.stop ?? (calls.length > 0 ? 'tool-calls' : 'stop'), ...(usage && { usage }) }]
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]
}

/** A provider's failure, for `error`. */
export function providerFailure(
  code: `provider.${string}`,
  options: ConstructorParameters<typeof ProviderError>[2] = {},
): ProviderError {
  return new ProviderError(code, `scripted failure: ${code}`, options)
}
