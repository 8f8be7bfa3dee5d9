import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { framed, hold, type Reply, recordingServer } from '@stepwell/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startDemo } from './testing/demo-process.ts'
import { folderWith } from './testing/folder.ts'

/** Each test starts processes, which takes its time on a busy machine. */
const PATIENT = { timeout: 60_000 }

const project = () => folderWith({ 'README.md': '# A project\n\nIt is small.\n' })
const sessionIn = (stderr: string) => /Session (ses_\w+)/.exec(stderr)?.[1] ?? ''

function chunk(content: string, finish: string | null = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })
}

async function modelServer(replies: readonly Reply[]) {
  const server = await recordingServer(replies)
  onTestFinished(() => server.close())
  return { server, args: ['--model', 'openai:test', '--base-url', `${server.url}/v1`] }
}

test(
  'piped input runs once: the reply on stdout, the rest on stderr, no escapes, and nothing is changed',
  PATIENT,
  async () => {
    const folder = project()
    const { code, stdout, stderr } = await startDemo(folder, ['--model', 'scripted'], 'What is this?\n').ended
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/[^\n]\n$/)
    expect(stderr).toContain('I am a scripted model')
    expect(stderr).toContain('“# A project”')
    expect(stderr).toContain('● read_file README.md')
    expect(stderr).toContain('● ask_user  not answered')
    expect(stderr).toContain('● write_file stepwell-demo.md  Denied, and not run: Nobody is there to be asked.')
    expect(stdout + stderr).not.toContain('\x1b')
    expect(existsSync(join(folder, 'stepwell-demo.md'))).toBe(false)
  },
)

test('--session shows what was said and goes on, and --list names it', PATIENT, async () => {
  const folder = project()
  const first = await startDemo(folder, ['--model', 'scripted'], 'What is this?').ended
  const id = sessionIn(first.stderr)
  const again = await startDemo(folder, ['--model', 'scripted', '--session', id], 'And now?').ended
  expect(again.code).toBe(0)
  expect(again.stderr).toContain('› What is this?\n')
  expect(again.stderr).toContain('● read_file README.md')
  expect(again.stdout).toContain('message 2 of this session, and the first one was “What is this?”')
  const list = await startDemo(folder, ['--list'], '').ended
  expect(list.stdout).toContain(id)
  expect(list.stdout).toContain('What is this?')
})

test('a session whose process was killed in the middle of a run opens again and goes on', PATIENT, async () => {
  const folder = project()
  const { server, args } = await modelServer([
    { body: [`data: ${chunk('Once upon')}\n\n`, hold()] },
    { body: framed('openai-chat', [chunk('The end.', 'stop')]) },
  ])
  const first = startDemo(folder, args, 'Tell a story.')
  await server.request(0)
  first.kill('SIGKILL')
  await first.ended

  const list = await startDemo(folder, ['--list'], '').ended
  const id = /ses_\w+/.exec(list.stdout)?.[0] ?? ''
  expect(list.stdout).toContain('open')
  const again = await startDemo(folder, [...args, '--session', id], 'Go on.').ended
  expect(again).toMatchObject({ code: 0, stdout: 'The end.\n' })
  expect(again.stderr).toContain('› Tell a story.')
  expect(again.stderr).toContain('The process of this run died')
  expect(server.requests[1]?.text).toContain('Tell a story.')
})

test('SIGINT stops the run, keeps the session and says so in the exit code', PATIENT, async () => {
  const folder = project()
  const { args, server } = await modelServer([{ body: [`data: ${chunk('Once upon')}\n\n`, hold()] }])
  const demo = startDemo(folder, args, 'Tell a story.')
  await server.request(0)
  demo.kill('SIGINT')
  const { code, stderr } = await demo.ended
  expect(code).toBe(130)
  expect(stderr).toContain('Stopped. The session is kept')
  expect(sessionIn(stderr)).not.toBe('')
})

test.each([
  ['a provider that refuses', 1, 'provider.auth', { status: 401, headers: {}, body: '{"error":{"message":"No."}}' }],
  ['a reply that was cut', 4, 'length limit', { body: framed('openai-chat', [chunk('Once', 'length')]) }],
])('%s has its exit code', PATIENT, async (_what, code, said, reply: Reply) => {
  const { args } = await modelServer([reply])
  const ended = await startDemo(project(), args, 'Hi.').ended
  expect(ended.stderr).toContain(said)
  expect(ended.code).toBe(code)
})

test.each([
  ['an unknown session', ['--session', 'nope', '--model', 'scripted'], 'Hi.', 1, '--list shows'],
  ['an unknown option', ['--colour'], 'Hi.', 2, '--help'],
  ['empty input', ['--model', 'scripted'], ' \n', 2, 'nothing on standard input'],
  ['a database nobody can open', ['--model', 'scripted', '--db', 'no/such/folder.db'], 'Hi.', 1, 'store.'],
])('%s is refused in a line', PATIENT, async (_what, args, input, code, said) => {
  const ended = await startDemo(project(), args, input).ended
  expect(ended.stderr).toContain(said)
  expect(ended.stdout).toBe('')
  expect(ended.code).toBe(code)
})
