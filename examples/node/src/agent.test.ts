import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, memoryStore, type RunOptions, type SessionState } from '@stepwell/sdk'
import { scriptedModel } from '@stepwell/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { demoAgent } from './agent.ts'
import { folderWith } from './testing/folder.ts'
import { openWorkspace } from './tools/workspace.ts'

async function calling(folder: string, name: string, input: JsonObject) {
  const workspace = await openWorkspace(folder)
  const model = scriptedModel([{ calls: [{ name, input }] }, 'Done.'])
  const agent = demoAgent({ model, store: memoryStore({ now: () => 0 }), workspace, db: join(folder, 'my.db') })
  onTestFinished(() => agent.close({ drainMs: 0 }))
  const session = await agent.session()
  return {
    session,
    async run(options?: RunOptions) {
      await session.run('Go.', options).result
      const [part] = session.state.history.flatMap((said) => (said.role === 'assistant' ? said.parts : []))
      return part?.type === 'tool-call' ? part.result : undefined
    },
    async asked() {
      session.run('Go.')
      const { requests } = await new Promise<SessionState['pending']>((resolve) => {
        session.subscribe(({ status, pending }) => status === 'waiting' && resolve(pending))
      })
      return requests[0]
    },
  }
}

const unattended = { unattended: true }

test('reading in the folder is not asked', async () => {
  const { run } = await calling(folderWith({ 'a.txt': 'hello' }), 'read_file', { path: 'a.txt' })
  expect(await run(unattended)).toMatchObject({ outcome: 'ok', output: 'hello' })
})

test.each([
  ['write_file', { path: 'a.txt', text: 'new\n' }, { title: 'Write a.txt', diff: expect.stringContaining('+new') }],
  ['run_command', { command: 'ls -l' }, { command: 'ls -l' }],
])('%s is asked, with what it would do and the rule for it', async (name, input, description) => {
  const { asked } = await calling(folderWith({}), name, input)
  expect(await asked()).toMatchObject({ kind: 'approval', description, suggestedRule: expect.stringContaining(name) })
})

test('where nobody is there it is denied, with the reason', async () => {
  const folder = folderWith({})
  const { run } = await calling(folder, 'write_file', { path: 'a.txt', text: 'new' })
  expect(await run(unattended)).toMatchObject({ outcome: 'denied', output: expect.stringContaining('Nobody is there') })
  expect(existsSync(join(folder, 'a.txt'))).toBe(false)
})

test('what is always allowed is kept beside the sessions, and holds in the next ones', async () => {
  const folder = folderWith({})
  const { asked, session } = await calling(folder, 'run_command', { command: 'echo hi' })
  const request = await asked()
  const ended = session.follow(session.state.run?.id ?? '').result
  await session.resolve(request?.id ?? '', 'allow-always')
  await ended
  expect(JSON.parse(readFileSync(join(folder, 'my.rules.json'), 'utf8'))).toEqual(['run_command(echo hi)'])
  const { run } = await calling(folder, 'run_command', { command: 'echo hi' })
  expect(await run(unattended)).toMatchObject({ outcome: 'ok' })
})

test.each(['my.rules.json', '.stepwell/sessions.db', './x/../my.rules.json'])(
  'no model reads or writes %s',
  async (path) => {
    const { run } = await calling(folderWith({ 'x/a': '' }), 'write_file', { path, text: '["run_command"]' })
    expect(await run()).toMatchObject({ outcome: 'denied', metadata: { permission: { by: 'rule' } } })
  },
)

test('a budget ends the run before a call that is not within it, and says what is left before', async () => {
  const workspace = await openWorkspace(folderWith({}))
  const model = scriptedModel(['One.', 'Two.'], { capabilities: { pricing: { currency: 'USD', input: 1, output: 1 } } })
  const store = memoryStore({ now: () => 0 })
  const agent = demoAgent({ model, store, workspace, db: join(workspace.root, 'my.db'), dollars: 0.01 })
  onTestFinished(() => agent.close({ drainMs: 0 }))
  const session = await agent.session()
  expect((await session.run('Hi.').result).reason).toBe('stop')
  expect(session.state.usage.budgetRemaining?.cost?.amount).toBeLessThan(0.01)
  expect((await session.run('x'.repeat(100_000)).result).reason).toBe('budget-exceeded')
})
