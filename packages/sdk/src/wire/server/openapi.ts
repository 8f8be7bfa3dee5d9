import * as z from 'zod/mini'
import { PROTOCOL_VERSION } from '../../protocol/events.ts'
import type { JsonObject } from '../../protocol/json.ts'
import {
  blobAnswer,
  capabilitiesAnswer,
  errorSchema,
  frameSchema,
  healthAnswer,
  messagesAnswer,
  receiptAnswer,
  sessionAnswer,
  sessionsAnswer,
  snapshotAnswer,
} from '../../protocol/wire/answers.ts'
import { createSessionSchema, forkSchema } from '../../protocol/wire/bodies.ts'
import { commandSchema } from '../../protocol/wire/commands.ts'

type Schema = z.ZodMiniType

interface Operation {
  readonly summary: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Schema | 'bytes'
  readonly answers: Readonly<Record<number, Schema | 'bytes' | 'stream' | undefined>>
  /** Statuses of refusals, besides those that every path has. */
  readonly refusals: readonly number[]
}

const LIMIT = 'At most so many.'

const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/health': { get: { summary: 'Whether the server answers', answers: { 200: healthAnswer }, refusals: [] } },
  '/capabilities': { get: { summary: 'What the server takes', answers: { 200: capabilitiesAnswer }, refusals: [] } },
  '/openapi.json': { get: { summary: 'This description', answers: { 200: z.looseObject({}) }, refusals: [] } },
  '/events': {
    get: {
      summary: 'The events of several sessions, as server-sent events',
      query: { s: '<id>:<after>, once for each session' },
      answers: { 200: 'stream' },
      refusals: [400],
    },
  },
  '/sessions': {
    get: {
      summary: "The caller's sessions, newest first",
      query: {
        search: 'Part of the title.',
        archived: 'true or false',
        limit: LIMIT,
        cursor: '`next` of the page before',
      },
      answers: { 200: sessionsAnswer },
      refusals: [400],
    },
    post: {
      summary: 'Creates a session; 200 with the row when the id is one of the caller’s sessions',
      body: createSessionSchema,
      answers: { 200: sessionAnswer, 201: sessionAnswer },
      refusals: [400, 404, 413, 415],
    },
  },
  '/sessions/{id}': {
    get: { summary: 'The state, with the last 200 messages', answers: { 200: snapshotAnswer }, refusals: [400, 404] },
    delete: { summary: 'Deletes the session and its bytes', answers: { 204: undefined }, refusals: [400, 404, 409] },
  },
  '/sessions/{id}/messages': {
    get: {
      summary: 'Older messages, oldest first',
      query: { before: 'Id of the message they come before.', limit: LIMIT },
      answers: { 200: messagesAnswer },
      refusals: [400, 404],
    },
  },
  '/sessions/{id}/commands': {
    post: {
      summary: 'Asks something of the session; 202 when its owner has not answered yet',
      body: commandSchema,
      answers: { 200: receiptAnswer, 202: receiptAnswer },
      refusals: [400, 404, 409, 413, 415],
    },
  },
  '/sessions/{id}/fork': {
    post: {
      summary: 'A new session with this history',
      body: forkSchema,
      answers: { 200: sessionAnswer, 201: sessionAnswer },
      refusals: [400, 404, 409, 413, 415],
    },
  },
  '/sessions/{id}/blobs': {
    post: {
      summary: 'Stores bytes, to be named by an input',
      query: { name: 'File name.' },
      body: 'bytes',
      answers: { 201: blobAnswer },
      refusals: [400, 404, 413, 415],
    },
  },
  '/sessions/{id}/blobs/{sha256}': {
    get: { summary: 'Bytes of the session', answers: { 200: 'bytes' }, refusals: [400, 404] },
  },
  '/sessions/{id}/events': {
    get: {
      summary: 'The events of one session, as server-sent events',
      query: { after: 'The seq the reader is at. `Last-Event-ID` goes before it.' },
      answers: { 200: 'stream' },
      refusals: [400, 404],
    },
  },
}

let made: JsonObject | undefined

/** The OpenAPI 3.1 description of what a server answers, made of the schemas it checks with. */
export function openApi(): JsonObject {
  made ??= {
    openapi: '3.1.0',
    info: {
      title: 'Stepwell',
      version: String(PROTOCOL_VERSION),
      description: 'Sessions of an agent. docs/protocol.md says what the shapes mean.',
    },
    paths: Object.fromEntries(
      Object.entries(OPERATIONS).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, described(path, one)])),
      ]),
    ),
    components: { schemas: { Error: schemaOf(errorSchema), Frame: schemaOf(frameSchema) } },
  }
  return made
}

function described(path: string, { summary, query = {}, body, answers, refusals }: Operation): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }))
  const parameters = [...inPath, ...inQuery]
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          { description: status === '204' ? 'Done' : 'The answer', ...(answer && { content: contentOf(answer) }) },
        ]),
      ),
      ...Object.fromEntries([401, 403, 405, ...refusals, 500, 503].map((status) => [status, REFUSAL])),
    },
  }
}

const REFUSAL = {
  description: 'Refused, with a stable code',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function contentOf(content: Schema | 'bytes' | 'stream'): JsonObject {
  if (content === 'bytes') return { '*/*': { schema: { type: 'string', format: 'binary' } } }
  if (content === 'stream') {
    return { 'text/event-stream': { schema: { $ref: '#/components/schemas/Frame' } } }
  }
  return { 'application/json': { schema: schemaOf(content) } }
}

function schemaOf(schema: Schema): JsonObject {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: 'input' })
  return described as JsonObject
}
