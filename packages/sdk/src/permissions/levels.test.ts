import { expect, test } from 'vitest'
import type { Operation, PermissionCall } from '../protocol/permissions.ts'
import type { PermissionLevel } from './levels.ts'
import { permissions } from './permissions.ts'

const LEVELS: readonly PermissionLevel[] = ['plan', 'default', 'acceptEdits', 'auto', 'bypass']

type Row = readonly [what: string, effect: PermissionCall['effect'], operation: Operation | undefined, ...string[]]

const TABLE: readonly Row[] = [
  // What                   Effect        Operation                                      plan    default  accept   auto     bypass
  ['reads nothing named', 'read', undefined, 'allow', 'allow', 'allow', 'allow', 'allow'],
  ['reads inside', 'read', { kind: 'read', target: 'a.md' }, 'allow', 'allow', 'allow', 'allow', 'allow'],
  ['reads outside', 'read', { kind: 'read', target: '/etc/hosts' }, 'ask', 'ask', 'ask', 'ask', 'allow'],
  ['looks up a URL', 'read', { kind: 'network', target: 'https://a.example/' }, 'ask', 'ask', 'ask', 'allow', 'allow'],
  ['runs to look', 'read', { kind: 'execute', target: 'git log' }, 'ask', 'ask', 'ask', 'allow', 'allow'],
  ['looks otherwise', 'read', { kind: 'other', target: 'ticket 4' }, 'ask', 'ask', 'ask', 'allow', 'allow'],
  ['a read that writes', 'read', { kind: 'write', target: 'a.md' }, 'deny', 'ask', 'allow', 'allow', 'allow'],
  ['writes inside', 'write', { kind: 'write', target: 'a.md' }, 'deny', 'ask', 'allow', 'allow', 'allow'],
  ['writes outside', 'write', { kind: 'write', target: '../a.md' }, 'deny', 'ask', 'ask', 'ask', 'allow'],
  ['writes somewhere', 'write', { kind: 'write' }, 'deny', 'ask', 'ask', 'ask', 'allow'],
  ['runs a command', 'write', { kind: 'execute', target: 'npm test' }, 'deny', 'ask', 'ask', 'allow', 'allow'],
  ['runs what is unclear', 'write', { kind: 'execute', target: 'npm $X' }, 'deny', 'ask', 'ask', 'ask', 'allow'],
  ['runs something', 'write', { kind: 'execute' }, 'deny', 'ask', 'ask', 'ask', 'allow'],
  ['redirects inside', 'write', { kind: 'execute', target: 'npm test > a' }, 'deny', 'ask', 'ask', 'allow', 'allow'],
  ['redirects outside', 'write', { kind: 'execute', target: 'npm test > /a' }, 'deny', 'ask', 'ask', 'ask', 'allow'],
  ['posts', 'write', { kind: 'network', target: 'https://a.example/' }, 'deny', 'ask', 'ask', 'allow', 'allow'],
  ['posts to no URL', 'write', { kind: 'network', target: 'a.example' }, 'deny', 'ask', 'ask', 'ask', 'allow'],
  ['changes something', 'write', undefined, 'deny', 'ask', 'ask', 'allow', 'allow'],
  ['sets something', 'idempotent', undefined, 'deny', 'ask', 'ask', 'allow', 'allow'],
]

const cases = TABLE.map(([what, effect, operation, ...verdicts]) => ({ what, effect, operation, verdicts }))

test.each(cases)('a call that $what', async ({ effect, operation, verdicts }) => {
  const operations = operation === undefined ? [] : [operation]
  const call: PermissionCall = { toolName: 'tool', effect, input: {}, operations, sessionId: 's' }
  const decided = LEVELS.map(async (level) => (await permissions({ level, cwd: '/work' }).decide(call)).verdict)
  expect(await Promise.all(decided)).toEqual(verdicts)
})

test('without a working directory nothing lies inside it', async () => {
  const operations: Operation[] = [{ kind: 'write', target: '/work/a.md' }]
  const call: PermissionCall = { toolName: 'edit', effect: 'write', input: {}, operations, sessionId: 's' }
  expect(await permissions({ level: 'acceptEdits' }).decide(call)).toMatchObject({ verdict: 'ask' })
})

test('an unknown level is refused with the known ones', () => {
  expect(() => permissions({ level: 'yolo' as PermissionLevel })).toThrow(
    /"yolo".*plan, default, acceptEdits, auto, bypass/,
  )
  expect(() => permissions({ level: 'toString' as PermissionLevel })).toThrow(
    expect.objectContaining({ code: 'config.invalid' }),
  )
})
