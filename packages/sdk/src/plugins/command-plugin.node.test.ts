import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '../agent/create-agent.ts'
import type { SessionState } from '../protocol/state.ts'
import { results, stateWhere } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { tool } from '../testing/tool-call.ts'
import { type CommandPlugin, commandPlugin } from './command-plugin.node.ts'
import { type HookProgram, runProgram } from './run-program.node.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-hooks-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A program of one line, with the event as `event`. */
const node = (code: string): HookProgram => ({
  command: process.execPath,
  args: ['--eval', `const event = JSON.parse(require('fs').readFileSync(0, 'utf8')); ${code}`],
})

async function asked(hooks: CommandPlugin['hooks'], replies = ['Done.', 'Done again.']): Promise<SessionState> {
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: 'probe', input: { path: '/etc' } }] }, ...replies]),
    tools: [tool((input) => input)],
    plugins: [commandPlugin({ name: 'guard', hooks })],
  })
  const session = await agent.session()
  await session.run('Go').result
  return session.state
}

test('a program gets the event on standard input, and what it writes is what the hook gives', async () => {
  const { history } = await asked({
    'tool:before': node(`console.log(JSON.stringify({ input: { path: event.input.path + '/' + event.toolName } }))`),
    'transform:tool-output': node(`console.log(JSON.stringify({ output: Object.keys(event).sort().join() }))`),
    'turn:after': node(''),
  })
  expect(results({ history } as SessionState)).toMatchObject([
    { ranWith: { path: '/etc/probe' }, output: 'callId,hook,outcome,output,runId,sessionId,toolName,turn' },
  ])
})

test('exit code 2 says no, with its reason on standard error', async () => {
  const state = await asked({
    'tool:before': node(`console.error('not ' + event.input.path); process.exit(2)`),
    'verify:stop': node(`if (event.sentBack === 0) { console.error('Not yet.'); process.exit(2) }`),
  })
  expect(results(state)).toMatchObject([{ outcome: 'denied', output: expect.stringContaining('not /etc') }])
  expect(state.history.at(-2)).toMatchObject({ role: 'note', text: 'Not yet.' })
  expect(state.notices).toMatchObject([{ code: 'stop.sent-back' }])
})

test.each<readonly [string, HookProgram, string]>([
  ['another exit code', node(`console.error('broken'); process.exit(1)`), 'ended with 1: broken'],
  ['other output', node(`console.log('all fine')`), 'something else than one JSON object: all fine'],
  ['too much output', node(`process.stdout.write('x'.repeat(2 ** 21))`), 'more than 1 MiB'],
  ['no such program', { command: join('/', 'no', 'such', 'program') }, 'ENOENT'],
  ['a shell that was not asked for', { command: 'exit 0' }, 'ENOENT'],
])('%s is a failure, and tool:before fails closed', async (_what, command, why) => {
  const state = await asked({ 'tool:before': command })
  expect(results(state)).toMatchObject([{ outcome: 'denied', output: expect.stringContaining(why) }])
  expect(state.notices).toMatchObject([{ code: 'hook.failed', text: expect.stringContaining(why) }])
})

test('exit code 2 is a failure for a hook that can refuse nothing', async () => {
  const { notices } = await asked({ 'turn:before': node(`console.error('no'); process.exit(2)`) })
  expect(notices).toMatchObject([{ code: 'hook.failed', text: expect.stringContaining('ended with 2: no') }])
})

test('a program that does not read its input, a shell that was asked for, folder and variables', async () => {
  const { signal } = new AbortController()
  const long = 'x'.repeat(200_000)
  expect(await runProgram({ command: 'true' }, long, signal)).toEqual({ code: 0, stdout: '', stderr: '' })
  const line = { command: 'echo "$WORD in $(pwd)"; exit 3', shell: true, cwd: folder, env: { WORD: 'here' } }
  expect(await runProgram(line, '', signal)).toMatchObject({ code: 3, stdout: `here in ${folder}\n` })
})

test('a program that is too slow is killed with all it started', async () => {
  const pidFile = join(folder, 'pid')
  const clock = manualClock()
  const slow = {
    command: `sleep 600 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; echo started >&2; wait`,
    shell: true,
  }
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: 'probe' }] }, 'Well.']),
    tools: [tool(() => 'ok')],
    plugins: [commandPlugin({ name: 'guard', timeoutMs: 500, hooks: { 'tool:before': slow } })],
    clock,
  })
  const session = await agent.session()
  const run = session.run('Go')
  await stateWhere(session, ({ pending }) => Object.keys(pending.calls).length > 0)
  const pid = Number(await written(pidFile))
  clock.advance(500)
  expect((await run.result).reason).toBe('stop')
  expect(results(session.state)).toMatchObject([{ outcome: 'denied', output: expect.stringContaining('500 ms') }])
  await gone(pid)
})

async function written(file: string): Promise<string> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text !== '') return text
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Settles when there is no such process; it is a zombie until whoever started it is gone as well. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (stat === '' || stat.includes(') Z ')) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
