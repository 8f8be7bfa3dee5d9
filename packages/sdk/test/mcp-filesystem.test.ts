import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectMcp, type Mcp } from '../src/mcp/index.ts'
import { stdio } from '../src/mcp/stdio.node.ts'
import { permissions } from '../src/permissions/index.ts'
import { realpath as followLinks } from '../src/permissions/realpath.node.ts'
import type { Operation } from '../src/protocol/permissions.ts'
import { agentWorld, results } from '../src/testing/agent-world.ts'
import type { ScriptedCall } from '../src/testing/scripted-model.ts'
import { programOf } from './fixtures/mcp.ts'

let root = ''
let mcp: Mcp

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'stepwell-mcp-')))
  await mkdir(join(root, 'work/private'), { recursive: true })
  for (const file of ['outside.txt', 'work/inside.txt', 'work/private/key.txt']) await writeFile(join(root, file), file)
  const path =
    (kind: 'read' | 'write') =>
    (input: { readonly path?: unknown }): Operation[] => [{ kind, target: String(input.path) }]
  const program = programOf('@modelcontextprotocol/server-filesystem/dist/index.js')
  const server = stdio({
    command: process.execPath,
    args: [program, join(root, 'work')],
    operations: { read_text_file: path('read'), write_file: path('write') },
    permissionRules: { deny: ['*(./private/**)'], allow: ['write_file(./out.txt)'] },
  })
  mcp = await connectMcp({ servers: { files: server } })
}, 60_000)

afterAll(async () => {
  await mcp.close()
  await rm(root, { recursive: true, force: true })
})

/** Results of calls, each asked about or not, and what was asked. */
async function ran(calls: readonly ScriptedCall[], answer: 'allow-once' | 'deny') {
  const policy = permissions({ cwd: join(root, 'work'), realpath: followLinks, rules: mcp.permissionRules })
  const { session: open } = agentWorld([{ calls }, 'Done.'], { tools: mcp.tools, permissions: policy })
  const session = await open()
  const asked: unknown[] = []
  for await (const event of session.run('Work.')) {
    if (event.type !== 'request') continue
    const { tool, suggestedRule, description } = event.request
    asked.push([tool?.name, description?.title, suggestedRule])
    await session.resolve(event.request.id, answer)
  }
  return { asked, results: results(session.state).map(({ outcome, output }) => [outcome, output]) }
}

const call = (name: string, path: string, more = {}): ScriptedCall => ({
  name: `mcp__files__${name}`,
  input: { path: join(root, path), ...more },
})

test('reads where it may, asks elsewhere, and is refused where a rule denies', async () => {
  const { asked, results } = await ran(
    [
      call('read_text_file', 'work/inside.txt'),
      call('read_text_file', 'work/private/key.txt'),
      call('read_text_file', 'work/x/../private/key.txt'),
      call('read_text_file', 'outside.txt'),
    ],
    'allow-once',
  )
  expect(results).toEqual([
    ['ok', 'work/inside.txt'],
    ['denied', expect.stringContaining('The rule mcp__files__*(./private/**) denies it.')],
    ['denied', expect.stringContaining('The rule mcp__files__*(./private/**) denies it.')],
    // A person allowed it, and the server did not.
    ['error', expect.stringContaining('Access denied - path outside allowed directories')],
  ])
  expect(asked).toEqual([
    ['mcp__files__read_text_file', 'Read Text File (files)', `mcp__files__read_text_file(${root}/outside.txt)`],
  ])
})

test('asks before it writes, but for what a rule allows', async () => {
  const writing = (path: string) => call('write_file', path, { content: 'new' })
  const allowed = await ran([writing('work/out.txt'), writing('work/inside.txt')], 'deny')
  expect(allowed.asked).toEqual([
    ['mcp__files__write_file', 'Write File (files)', 'mcp__files__write_file(./inside.txt)'],
  ])
  expect(allowed.results.map(([outcome]) => outcome)).toEqual(['ok', 'denied'])
  expect(await readFile(join(root, 'work/out.txt'), 'utf8')).toBe('new')
  expect(await readFile(join(root, 'work/inside.txt'), 'utf8')).toBe('work/inside.txt')

  expect((await ran([writing('work/inside.txt')], 'allow-once')).results.map(([outcome]) => outcome)).toEqual(['ok'])
  expect(await readFile(join(root, 'work/inside.txt'), 'utf8')).toBe('new')
})

test('asks before it writes without a policy, too', async () => {
  const { session: open } = agentWorld([{ calls: [call('write_file', 'work/a.txt', { content: 'a' })] }, 'Done.'], {
    tools: mcp.tools,
    unattended: true,
  })
  const session = await open()
  await session.run('Write.').result
  expect(results(session.state)).toMatchObject([{ outcome: 'denied' }])
})
