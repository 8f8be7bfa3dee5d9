import { spawn } from 'node:child_process'
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { framed, hold, type Reply, recordingServer } from '../../testing/index.ts'

/** Each starts a process, which takes its time on a busy machine. */
const PATIENT = { timeout: 60_000 }
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A project with what an application has: the program and the library, built, and its packages. */
let project = ''

beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'stepwell-headless-')))
  await symlink(source('../../../../../node_modules'), join(project, 'node_modules'))
  await build({
    entryPoints: {
      stepwell: source('stepwell.node.ts'),
      sdk: source('../../index.ts'),
      testing: source('../../testing/index.ts'),
    },
    outdir: project,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
  })
})

afterAll(() => rm(project, { recursive: true, force: true }))

function start(args: readonly string[], env: object = {}) {
  const child = spawn(process.execPath, [join(project, 'stepwell.mjs'), ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  }
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, ...said }))
  })
  return { child, ended }
}

function chunk(content: string, finish: string | null = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })
}

async function modelThatSays(...replies: readonly (string | Reply)[]) {
  const server = await recordingServer(
    replies.map((reply) =>
      typeof reply === 'string' ? { body: framed('openai-chat', [chunk(reply, 'stop')]) } : reply,
    ),
  )
  onTestFinished(() => server.close())
  return { server, model: ['--model', 'test', '--base-url', `${server.url}/v1`] }
}

test(
  'a prompt with what is piped in, a key by the name of its variable, the reply alone on stdout',
  PATIENT,
  async () => {
    const { server, model } = await modelThatSays('It is fine.')
    const args = ['run', ...model, '--key-env', 'MY_KEY', 'Review', 'this:', '-']
    const { child, ended } = start(args, { MY_KEY: 'sk-mine' })
    child.stdin.end('+ one line\n')
    expect(await ended).toEqual({ code: 0, stdout: 'It is fine.\n', stderr: '' })
    const [request] = server.requests
    expect(request?.headers.authorization).toBe('Bearer sk-mine')
    expect(request?.json).toMatchObject({ messages: [{ content: 'Review this:\n\n+ one line\n' }] })
  },
)

test('a session is gone on with, and standard input nobody ends holds up nothing', PATIENT, async () => {
  const { server, model } = await modelThatSays('Hello Ada.', 'Ada.')
  const args = ['run', ...model, '--store', 'agent.db', '--session', 'ada', '--output', 'json']
  const first = await start([...args, 'I am Ada.']).ended
  expect(JSON.parse(first.stdout)).toMatchObject({ reason: 'stop', sessionId: 'ada', text: 'Hello Ada.' })
  const second = await start([...args, 'Who am I?']).ended
  expect(JSON.parse(second.stdout)).toMatchObject({ text: 'Ada.' })
  expect(server.requests[1]?.text).toContain('Hello Ada.')
})

/** A module that leaves a timer running, and calls this tool. */
const agentModule = (tool: string) => `
import { createAgent, defineTool } from './sdk.mjs'
import { scriptedModel } from './testing.mjs'
const pay = defineTool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, ${tool} })
setInterval(() => {}, 1_000)
const model = scriptedModel([{ calls: [{ name: 'pay' }] }, 'Done.'])
export default createAgent({ model, tools: [pay] })
`

test('the agent of a module in TypeScript, driven by lines on both sides', PATIENT, async () => {
  await writeFile(join(project, 'agent.ts'), agentModule("needsApproval: true, execute: (): string => 'paid'"))
  const { child, ended } = start(['run', '--agent', 'agent.ts', '--input', 'ndjson', '--output', 'ndjson'])
  child.stdout.on('data', (text: string) => {
    const asked = /"type":"request".*?"id":"(req_[^"]+)"/.exec(text)?.[1]
    const resolution = { decision: 'allow-once' }
    if (asked) child.stdin.write(`${JSON.stringify({ type: 'resolve', requestId: asked, resolution })}\n`)
  })
  child.stdin.write('{"type":"input","input":"Pay."}\n')
  const { code, stdout, stderr } = await ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(records[0]).toMatchObject({ type: 'start', v: 1 })
  expect(records.find(({ type }) => type === 'tool-result')).toMatchObject({ result: { output: 'paid' } })
  expect(records.at(-1)).toMatchObject({ type: 'result', reason: 'stop', text: 'Done.' })
})

test('an agent that cannot be closed changes nothing of what the run came to', PATIENT, async () => {
  await writeFile(
    join(project, 'broken-store.mjs'),
    `
import { createAgent, memoryStore } from './sdk.mjs'
import { scriptedModel } from './testing.mjs'
const store = { ...memoryStore(), close: async () => { throw new Error('The disk is full.') } }
export default createAgent({ model: scriptedModel(['Done.']), store })
`,
  )
  expect(await start(['run', '--agent', 'broken-store.mjs', 'Go.']).ended).toEqual({
    code: 0,
    stdout: 'Done.\n',
    stderr: 'The agent could not be closed: The disk is full.\n',
  })
})

test('SIGINT stops the run and says so in the result and the exit code', PATIENT, async () => {
  const { server, model } = await modelThatSays({ body: [`data: ${chunk('Once upon')}\n\n`, hold()] })
  const args = ['run', ...model, '--store', 'agent.db', '--output', 'ndjson', 'Tell a story.']
  const { child, ended } = start(args)
  await server.request(0)
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text: string) => text.includes('Once upon') && resolve())
  })
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(130)
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ reason: 'aborted', text: 'Once upon' })
  expect(stderr).toMatch(/^aborted \[session ses_/)
})

test('SIGINT twice ends it whatever it is doing', PATIENT, async () => {
  const deaf = "onAbort: 'wait', execute() { process.stderr.write('deaf'); return new Promise(() => {}) }"
  await writeFile(join(project, 'deaf.js'), agentModule(deaf))
  const { child, ended } = start(['run', '--agent', 'deaf.js', 'Go.'])
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: string) => text.includes('deaf') && resolve())
  })
  child.kill('SIGINT')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 130, stdout: '' })
})

test('a reader who has seen enough ends it without a word', PATIENT, async () => {
  const { model } = await modelThatSays({ body: [`data: ${chunk('Once upon')}\n\n`, hold()] })
  const { child, ended } = start(['run', ...model, '--output', 'ndjson', 'Tell a story.'])
  child.stdout.once('data', () => child.stdout.destroy())
  const { code, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).not.toMatch(/EPIPE|\bat /)
})

test.each([
  [
    'what cannot be meant',
    ['run', 'Hi.'],
    'Which model? Give --model NAME or --agent FILE. (config.invalid)\nTry --help.\n',
  ],
  [
    'what cannot be begun',
    ['run', '--model', 'x', '--key-env', 'NOT_SET', 'Hi.'],
    'invalid: --key-env: the environment variable NOT_SET is not set. (config.missing-key)\n',
  ],
])('%s is refused in a line', PATIENT, async (_what, args, stderr) => {
  expect(await start(args).ended).toEqual({ code: 2, stdout: '', stderr })
})
