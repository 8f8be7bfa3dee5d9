import type { RunSettings } from '../protocol/commands.ts'
import { InputError, StepwellError, thrownText } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Resolution } from '../protocol/requests.ts'
import type { InputContent } from '../protocol/session.ts'
import { HEADLESS_VERSION } from './result.ts'
import { linesOf, type TextSource } from './text.ts'

/** What of a run's options an input may set. */
export interface HeadlessRunSettings extends Omit<RunSettings, 'unattended' | 'output'> {
  /** A JSON Schema whose root is an object: the reply has to be JSON of it. */
  readonly output?: JsonObject
}

interface CommandFields {
  readonly v?: typeof HEADLESS_VERSION
  /** For whoever may repeat themselves: the same id is carried out once in its session. */
  readonly id?: string
}

/** Begins the run, or steers it. */
export interface HeadlessInput extends CommandFields {
  readonly type: 'input'
  readonly input: InputContent
  /** Only of the input that begins the run. */
  readonly options?: HeadlessRunSettings
}

/** Answers a request. */
export interface HeadlessAnswer extends CommandFields {
  readonly type: 'resolve'
  readonly requestId: string
  readonly resolution: Resolution
}

export interface HeadlessAbort extends CommandFields {
  readonly type: 'abort'
}

/** One line of NDJSON input. JSON input is one of `HeadlessInput`, where `type` may be left out. */
export type HeadlessCommand = HeadlessInput | HeadlessAnswer | HeadlessAbort

export interface NumberedCommand {
  /** Counted from 1, blank lines too. */
  readonly line: number
  /** Throws an `InputError` for a line that is no command. */
  read(): HeadlessCommand
}

export async function* commandLines(source: TextSource): AsyncGenerator<NumberedCommand> {
  let line = 0
  for await (const text of linesOf(source)) {
    line += 1
    if (text.trim() !== '') yield { line, read: () => readCommand(text) }
  }
}

/** Fields of each command, and whether it needs them. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  input: { input: true, options: false },
  resolve: { requestId: true, resolution: true },
  abort: {},
}

const SETTINGS: Readonly<Record<keyof HeadlessRunSettings, true>> = {
  maxTurns: true,
  graceTurns: true,
  output: true,
  limits: true,
  settings: true,
  metadata: true,
}

/** JSON input. Throws an `InputError` for a text that is none, `protocol.too-new` for one of a later version. */
export function readInput(text: string): HeadlessInput {
  const command = readCommand(text, 'input')
  if (command.type !== 'input') throw invalid('JSON input is an input: answers come as lines of NDJSON.')
  return command
}

function readCommand(text: string, assumed?: 'input'): HeadlessCommand {
  const command = parsed(text)
  const { v = HEADLESS_VERSION, type = assumed, id, ...fields } = command
  if (v !== HEADLESS_VERSION) {
    throw new StepwellError('protocol.too-new', `This is version ${HEADLESS_VERSION}, not ${JSON.stringify(v)}.`)
  }
  const known = typeof type === 'string' && Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined
  if (known === undefined) {
    throw invalid(`"type" is one of ${Object.keys(FIELDS).join(', ')}, not ${JSON.stringify(type)}.`)
  }
  if (id !== undefined && typeof id !== 'string') throw invalid('"id" is a text.')
  checkFields(fields, known, `"${type}"`)
  checkValues(fields)
  return { ...command, type } as unknown as HeadlessCommand
}

function parsed(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw invalid(`It is not JSON: ${thrownText(thrown)}`)
  }
  if (!isObject(value)) throw invalid('It is JSON, but no object.')
  return value
}

/** A field with a typing error would be left out without a word. */
function checkFields(fields: JsonObject, known: Readonly<Record<string, boolean>>, of: string): void {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw invalid(`${of} has no field "${unknown}".`)
  const missing = Object.keys(known).find((name) => known[name] && fields[name] === undefined)
  if (missing !== undefined) throw invalid(`${of} needs "${missing}".`)
}

/** What is inside them is the session's to judge. */
function checkValues({ input, options, requestId, resolution }: JsonObject): void {
  if (input !== undefined && typeof input !== 'string' && !Array.isArray(input)) {
    throw invalid('"input" is a text, or a list of parts.')
  }
  if (options !== undefined) {
    if (!isObject(options)) throw invalid('"options" is an object.')
    checkFields(options, Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, false])), '"options"')
  }
  if (requestId !== undefined && typeof requestId !== 'string') throw invalid('"requestId" is a text.')
  if (resolution !== undefined && !isObject(resolution)) throw invalid('"resolution" is an object.')
}

function invalid(message: string): InputError {
  return new InputError('input.invalid', message)
}
