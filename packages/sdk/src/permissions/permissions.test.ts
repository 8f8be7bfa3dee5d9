import { describe, expect, test } from 'vitest'
import type { Operation, PermissionCall } from '../protocol/permissions.ts'
import type { RuleMemory } from './memory.ts'
import { memoryRules } from './memory.ts'
import { permissions } from './permissions.ts'

function call(
  toolName: string,
  operations: readonly Operation[] = [],
  more: Partial<PermissionCall> = {},
): PermissionCall {
  return { toolName, effect: 'write', input: {}, operations, sessionId: 's', ...more }
}

const runs = (target: string, more: Partial<PermissionCall> = {}) => call('bash', [{ kind: 'execute', target }], more)

describe('deny > ask > allow > level', () => {
  const rules = { allow: ['bash(git *)'], ask: ['bash(git push *)'], deny: ['bash(git push --force *)'] }

  test.each([
    ['git status', 'allow', 'bash(git *)'],
    ['git push', 'ask', 'bash(git push *)'],
    ['git push --force origin', 'deny', 'bash(git push --force *)'],
  ])('%s', async (command, verdict, rule) => {
    const expected = { verdict, rule, by: 'rule', reason: expect.stringContaining(rule) }
    expect(await permissions({ rules }).decide(runs(command))).toMatchObject(expected)
    if (verdict !== 'allow')
      expect(await permissions({ rules, level: 'bypass' }).decide(runs(command))).toMatchObject(expected)
  })

  test('a call is as allowed as the least allowed of its operations', async () => {
    const policy = permissions({ cwd: '/work', rules: { allow: ['copy(./out/*)'] } })
    const operations: Operation[] = [
      { kind: 'read', target: 'a' },
      { kind: 'write', target: 'out/a' },
    ]
    expect(await policy.decide(call('copy', operations))).toMatchObject({ verdict: 'allow', rule: 'copy(./out/*)' })
    expect(await policy.decide(call('copy', [...operations, { kind: 'write', target: 'b' }]))).toMatchObject({
      verdict: 'ask',
    })
  })

  test('no rule lifts the level plan', async () => {
    const policy = permissions({ level: 'plan', rules: { allow: ['bash'] } })
    expect(await policy.decide(runs('git status'))).toMatchObject({ verdict: 'deny', by: 'level' })
    expect(await policy.decide(runs('git status', { effect: 'read' }))).toMatchObject({ verdict: 'allow', by: 'rule' })
  })
})

describe('suggested rules', () => {
  const suggested = async (asked: PermissionCall) => {
    return (await permissions({ cwd: '/work', home: '/home/ada' }).decide(asked)).suggestedRule
  }
  const writes = (target: string) => suggested(call('file', [{ kind: 'write', target }]))
  const fetches = (target: string) => suggested(call('fetch', [{ kind: 'network', target }]))

  test('are exact', async () => {
    expect(await suggested(runs(`git commit -m "it's * done"`))).toBe(`bash(git commit -m 'it'\\''s * done')`)
    expect(await writes('src/../a.md')).toBe('file(./a.md)')
    expect(await writes('/etc/hosts')).toBe('file(/etc/hosts)')
    expect(await writes('app/[id]/*.ts')).toBe('file(./app/[id]/\\*.ts)')
    expect(await fetches('https://a.example/b?c=d#e')).toBe('fetch(https://a.example/b?c=d)')
    expect(await suggested(call('book_room'))).toBe('book_room')
  })

  test('are none rather than wrong', async () => {
    expect(await suggested(runs('git status && whoami'))).toBeUndefined()
    expect(await suggested(runs('git $x'))).toBeUndefined()
    expect(await suggested(runs('whoami > a'))).toBeUndefined()
    expect(await suggested(runs(''))).toBeUndefined()
    expect(await suggested(call('bash', [{ kind: 'execute' }]))).toBeUndefined()
    expect(await suggested(call('queue', [{ kind: 'other', target: 'jobs' }]))).toBeUndefined()
    expect(await suggested(call('odd(name)'))).toBeUndefined()
    expect(await writes('~/a')).toBeUndefined()
    expect(await writes('a/{b,c}')).toBeUndefined()
    expect(await writes('a\\b')).toBeUndefined()
    expect(await fetches('https://a.example/*')).toBeUndefined()
    expect(await fetches('https://ada@a.example/')).toBeUndefined()
  })

  test('are for what is left once other rules are heard', async () => {
    const policy = permissions({ rules: { allow: ['bash(git status)'] } })
    expect(await policy.decide(runs('git status && whoami'))).toMatchObject({ suggestedRule: 'bash(whoami)' })
  })

  test('are not made where a rule asks: they would not help', async () => {
    const policy = permissions({ rules: { ask: ['bash(git push *)'] } })
    expect(await policy.decide(runs('git push'))).not.toHaveProperty('suggestedRule')
  })
})

test('further rules join those there are, and both policies share what is remembered', async () => {
  const policy = permissions({ cwd: '/work', rules: { allow: ['bash(git *)'], deny: ['bash(git push *)'] } })
  const joined = policy.withRules?.({ allow: ['bash'], ask: ['bash(make *)'] })
  const verdicts = (command: string) =>
    Promise.all([policy, joined].map(async (one) => (await one?.decide(runs(command)))?.verdict))
  expect(await verdicts('git push origin')).toEqual(['deny', 'deny'])
  expect(await verdicts('ls')).toEqual(['ask', 'allow'])
  expect(await verdicts('make all')).toEqual(['ask', 'ask'])
  expect(await verdicts('git status')).toEqual(['allow', 'allow'])

  const other = permissions().withRules?.({ deny: ['fetch'] })
  const shared = other?.withRules?.({})
  await other?.remember?.(runs('make a'), 'allow-always')
  expect(await shared?.decide(runs('make a'))).toMatchObject({ verdict: 'allow' })
  expect(await shared?.decide(call('fetch'))).toMatchObject({ verdict: 'deny' })
  expect(() => policy.withRules?.({ deny: ['bash('] })).toThrow('bash(')
})

describe('remembered rules', () => {
  test('hold for the session, or for every session of the principal', async () => {
    const policy = permissions()
    const verdict = async (asked: PermissionCall) => (await policy.decide(asked)).verdict
    await policy.remember?.(runs('make a', { principal: 'ada' }), 'allow-session')
    await policy.remember?.(runs('make b', { principal: 'ada' }), 'allow-always')
    expect(await verdict(runs('make a', { principal: 'ada' }))).toBe('allow')
    expect(await verdict(runs('make a', { principal: 'ada', sessionId: 't' }))).toBe('ask')
    expect(await verdict(runs('make b', { principal: 'ada', sessionId: 't' }))).toBe('allow')
    expect(await verdict(runs('make b', { principal: 'bob', sessionId: 't' }))).toBe('ask')
    expect(await verdict(runs('make b', { sessionId: 't' }))).toBe('ask')
  })

  test('nothing is remembered of what has no exact rule', async () => {
    const memory = memoryRules()
    const policy = permissions({ memory })
    await policy.remember?.(runs('make $x'), 'allow-always')
    expect(await memory.load({ sessionId: 's' })).toEqual([])
  })

  test('never outweigh rules that deny or ask', async () => {
    const memory: RuleMemory = { load: () => ['bash'], remember: () => {} }
    const policy = permissions({ memory, rules: { deny: ['bash(rm *)'] } })
    expect(await policy.decide(runs('make'))).toMatchObject({ verdict: 'allow', rule: 'bash' })
    expect(await policy.decide(runs('rm a'))).toMatchObject({ verdict: 'deny' })
  })

  test('those that cannot be read are ignored', async () => {
    const memory: RuleMemory = { load: () => ['bash(', 'bash(make)'], remember: () => {} }
    expect(await permissions({ memory }).decide(runs('make'))).toMatchObject({ verdict: 'allow' })
  })

  test('a memory that fails allows nothing, and tells when it keeps nothing', async () => {
    const fail = () => Promise.reject(new Error('no disk'))
    const policy = permissions({ memory: { load: fail, remember: fail } })
    expect(await policy.decide(runs('make'))).toMatchObject({ verdict: 'ask', suggestedRule: 'bash(make)' })
    await expect(policy.remember?.(runs('make'), 'allow-always')).rejects.toThrow('no disk')
  })
})

describe('unattended', () => {
  test('what would be asked is denied, with the rule that would let it pass', async () => {
    const policy = permissions({ unattended: true, rules: { allow: ['bash(git status)'], deny: ['bash(rm *)'] } })
    expect(await policy.decide(runs('make'))).toMatchObject({
      verdict: 'deny',
      by: 'unattended',
      suggestedRule: 'bash(make)',
    })
    expect(await policy.decide(runs('git status'))).toMatchObject({ verdict: 'allow' })
    expect(await policy.decide(runs('rm a'))).toMatchObject({ verdict: 'deny', by: 'rule' })
  })
})

describe('decide never rejects', () => {
  test.each([
    ['a link that cannot be followed', { realpath: () => Promise.reject(new Error('EACCES')) }],
    [
      'a realpath that throws at once',
      {
        realpath: () => {
          throw new Error('EACCES')
        },
      },
    ],
  ])('%s', async (_, broken) => {
    const policy = permissions({
      cwd: '/work',
      home: '/home/ada',
      rules: { allow: ['file(~/a)', 'file(./a)'] },
      ...broken,
    })
    const decision = await policy.decide(call('file', [{ kind: 'write', target: 'a' }]))
    expect(decision).toMatchObject({ verdict: 'ask', reason: expect.stringContaining('EACCES') })
  })

  test('a folder of a rule that cannot be followed', async () => {
    const realpath = (path: string) =>
      path === '/home/ada' ? Promise.reject(new Error('EACCES')) : Promise.resolve(path)
    const rules = { allow: ['file(~/a)'], deny: ['file(~/b)'] }
    const policy = permissions({ cwd: '/work', home: '/home/ada', realpath, rules })
    const verdict = async (target: string) => (await policy.decide(call('file', [{ kind: 'write', target }]))).verdict
    expect(await verdict('/home/ada/a')).toBe('ask')
    expect(await verdict('/home/ada/b')).toBe('deny')
  })
})

test('a working directory behind a link is the same directory', async () => {
  const realpath = async (path: string) => path.replace(/^\/tmp\//, '/private/tmp/')
  const policy = permissions({ level: 'acceptEdits', cwd: '/tmp/work', realpath, rules: { allow: ['bash(> ./out)'] } })
  expect(await policy.decide(call('file', [{ kind: 'write', target: 'a' }]))).toMatchObject({ verdict: 'allow' })
  expect(await policy.decide(call('file', [{ kind: 'write', target: '/private/tmp/work/a' }]))).toMatchObject({
    verdict: 'ask',
  })
})
