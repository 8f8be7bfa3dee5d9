import { describe, expect, test } from 'vitest'
import type { Operation, PermissionCall } from '../protocol/permissions.ts'
import { permissions } from './permissions.ts'

async function verdictOf(rules: Parameters<typeof permissions>[0], toolName: string, ...operations: Operation[]) {
  const call: PermissionCall = { toolName, effect: 'write', input: {}, operations, sessionId: 's' }
  return (await permissions({ cwd: '/work', home: '/home/ada', ...rules }).decide(call)).verdict
}

const runs = (target: string): Operation => ({ kind: 'execute', target })
const writes = (target: string): Operation => ({ kind: 'write', target })
const fetches = (target: string): Operation => ({ kind: 'network', target })
const allow = (...rules: string[]) => ({ rules: { allow: rules } })
const deny = (...rules: string[]) => ({ level: 'bypass', rules: { deny: rules } }) as const

describe('a rule that cannot be meant is refused', () => {
  test.each([
    ['', 'is neither'],
    ['bash(', 'is neither'],
    ['bash (git)', 'is neither'],
    ['bash()', 'empty pattern'],
    ['bash( )', 'empty pattern'],
    ['bash(git status && ls)', 'not one plain command'],
    ['bash(git "status)', 'not one plain command'],
    ['bash(git $x)', 'not one plain command'],
    ['bash(PATH=. git)', 'not one plain command'],
    ['bash(git status > a)', 'not one plain command'],
    ['bash(cat ~/a)', 'not one plain command'],
    ['bash(git {a,b})', 'not one plain command'],
    ['file(./src/*.{ts,tsx})', 'braces'],
    ['fetch(https://)', 'cannot be read'],
    ['fetch(https://ada@example.org/)', 'cannot be read'],
  ])('%s', (rule, why) => {
    for (const list of ['allow', 'ask', 'deny'] as const) {
      expect(() => permissions({ cwd: '/work', rules: { [list]: [rule] } })).toThrow(
        expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining(why) }),
      )
    }
  })

  test('so is a relative one without the folder it starts from', () => {
    expect(() => permissions({ rules: { deny: ['file(./a)'] } })).toThrow(/give permissions\(\) the cwd/)
    expect(() => permissions({ rules: { deny: ['file(~/a)'] } })).toThrow(/give permissions\(\) the home/)
    expect(() => permissions({ cwd: 'C:\\work' })).toThrow(/absolute "cwd"/)
  })
})

describe('tools', () => {
  test.each([
    ['bash', 'bash', 'allow'],
    ['bash', 'bash2', 'ask'],
    ['bash', 'Bash', 'ask'],
    ['mcp__github__*', 'mcp__github__create_issue', 'allow'],
    ['mcp__github__*', 'mcp__github_evil__create_issue', 'ask'],
    ['mcp__*__read', 'mcp__github__read', 'allow'],
    ['mcp__*__read', 'mcp__github__read_all', 'ask'],
  ])('%s and %s: %s', async (rule, tool, verdict) => {
    expect(await verdictOf(allow(rule), tool)).toBe(verdict)
  })

  test('a rule without a pattern is about whatever the tool does, one with a pattern only about what is named', async () => {
    expect(await verdictOf(allow('bash'), 'bash', runs('echo $x'))).toBe('allow')
    expect(await verdictOf(allow('bash(*)'), 'bash', runs('echo $x'))).toBe('ask')
    expect(await verdictOf(allow('bash(*)'), 'bash', runs('echo x'))).toBe('allow')
    expect(await verdictOf(allow('bash(*)'), 'bash', { kind: 'execute' })).toBe('ask')
    expect(await verdictOf(allow('bash(*)'), 'bash')).toBe('ask')
  })
})

describe('commands', () => {
  test.each([
    ['git log *', 'git log', 'allow'],
    ['git log *', 'git log -p a', 'allow'],
    ['git log *', 'git logs', 'ask'],
    ['git log', 'git log -p', 'ask'],
    ['git * --dry-run', 'git push --dry-run', 'allow'],
    ['git * --dry-run', 'git push origin --dry-run', 'ask'],
    ["git commit -m 'a * b'", "git commit -m 'a * b'", 'allow'],
    ["git commit -m 'a * b'", "git commit -m 'a x b'", 'ask'],
    ['./build.sh', './build.sh', 'allow'],
    ['./build.sh', 'build.sh', 'ask'],
    ['./build.sh', './build.sh > ./build.sh', 'ask'],
    ['git status', '/tmp/git status', 'ask'],
    ['git status', 'time git status', 'ask'],
    ['git status', '! git status', 'ask'],
  ])('allow %s: %s → %s', async (pattern, command, verdict) => {
    expect(await verdictOf(allow(`bash(${pattern})`), 'bash', runs(command))).toBe(verdict)
  })

  test.each([
    ['rm *', '/bin/rm -r a'],
    ['rm *', 'RM -r a'],
    ['rm *', 'nice -n 5 sudo -u ada rm -r a'],
    ['rm *', 'find . -exec rm {} +'],
    ['rm *', 'eval "git status; rm a"'],
    ['rm *', `bash -c 'sh -c "rm a"'`],
    ['rm *', 'env -S "rm a"'],
    ['rm *', 'if true; then rm a; fi'],
    ['rm *', 'for f in a b; do rm $f; done'],
    ['rm *', 'f() { rm a; }'],
    ['rm *', 'x=$(rm a)'],
    ['rm *', 'cat <<< $(rm a)'],
    ['rm *', 'echo "\x24{x:-$(rm a)}"'],
    ['rm *', 'coproc rm a'],
    ['git push *', 'git $(git push -f)'],
    ['> ./.env', 'echo a > .env'],
    ['> ./.env', 'sh -c "echo a >> ./.ENV"'],
    ['./.env', 'echo a > .env'],
  ])('deny %s: %s', async (pattern, command) => {
    expect(await verdictOf(deny(`bash(${pattern})`), 'bash', runs(command))).toBe('deny')
  })

  test.each(['$x a', '$(echo rm) a', 'sh -c "$x"', "sh -c '$x'", 'r{m,n} a', '/bin/r? a', "$'\\x72m' a", 'rm"'])(
    'what may be a denied command is never just allowed: %s',
    async (command) => {
      expect(await verdictOf(deny('bash(rm *)'), 'bash', runs(command))).not.toBe('allow')
      const bare = { rules: { allow: ['bash'], deny: ['bash(rm *)'] } }
      expect(await verdictOf(bare, 'bash', runs(command))).not.toBe('allow')
    },
  )
})

describe('URLs', () => {
  test.each([
    ['https://api.example.org/v1/**', 'https://api.example.org/v1/a?b=c', 'allow'],
    ['https://api.example.org/v1/**', 'https://API.example.org:443/v1/a', 'allow'],
    ['https://api.example.org/v1/**', 'https://api.example.org/v1', 'ask'],
    ['https://api.example.org/v1/**', 'https://api.example.org/v1/../admin', 'ask'],
    ['https://api.example.org/v1/**', 'https://api.example.org/v1/%2e%2e/admin', 'ask'],
    ['https://api.example.org/v1/**', 'https://api.example.org/v1\\..\\admin', 'ask'],
    ['https://api.example.org/v1/**', 'http://api.example.org/v1/a', 'ask'],
    ['https://api.example.org/v1/**', 'https://api.example.org:8443/v1/a', 'ask'],
    ['https://api.example.org/v1/**', 'https://api.example.org.evil.org/v1/a', 'ask'],
    ['https://api.example.org/v1/**', 'https://api.example.org@evil.org/v1/a', 'ask'],
    ['https://api.example.org/v1/**', 'https://ada@api.example.org/v1/a', 'ask'],
    ['https://api.example.org/v1/**', 'not a URL', 'ask'],
    ['https://api.example.org', 'https://api.example.org/any/page', 'allow'],
    ['https://api.example.org/', 'https://api.example.org/any/page', 'ask'],
    ['https://api.example.org/a', 'https://api.example.org/a?delete=1', 'ask'],
    ['https://*.example.org', 'https://docs.example.org/', 'allow'],
    ['https://*.example.org', 'https://example.org/', 'ask'],
    ['https://*.example.org', 'https://docs.example.org.evil.org/', 'ask'],
  ])('allow %s: %s → %s', async (pattern, url, verdict) => {
    expect(await verdictOf(allow(`fetch(${pattern})`), 'fetch', fetches(url))).toBe(verdict)
  })

  test.each([
    ['https://evil.example', 'http://evil.example/a'],
    ['https://evil.example', 'https://EVIL.example.:8443/a'],
    ['https://evil.example', 'https://ada:x@evil.example/a'],
    ['https://api.example/admin/**', 'https://api.example/%61dmin/a'],
    ['https://api.example/admin/**', 'https://api.example/ADMIN'],
  ])('deny %s: %s', async (pattern, url) => {
    expect(await verdictOf(deny(`fetch(${pattern})`), 'fetch', fetches(url))).toBe('deny')
  })
})

describe('paths and other texts', () => {
  test.each([
    ['./src/**', 'src/a/b.ts', 'allow'],
    ['src/**', './src/a.ts', 'allow'],
    ['./src/*.ts', 'src/a.ts', 'allow'],
    ['./src/*.ts', 'src/a/b.ts', 'ask'],
    ['./**/*.test.ts', 'a/b/c.test.ts', 'allow'],
    ['./**/*.test.ts', 'c.test.ts', 'allow'],
    ['./**', '../a', 'ask'],
    ['/tmp/**', '/tmp/a', 'allow'],
    ['../shared/*', '/shared/a', 'allow'],
    ['~/notes/*', '/home/ada/notes/a', 'allow'],
    ['./app/[id]/a.ts', 'app/[id]/a.ts', 'allow'],
    ['./a\\*b', 'axb', 'ask'],
  ])('allow %s: %s → %s', async (pattern, path, verdict) => {
    expect(await verdictOf(allow(`file(${pattern})`), 'file', writes(path))).toBe(verdict)
  })

  test('a text is a pattern for what is neither path, command nor URL', async () => {
    const other = (target: string): Operation => ({ kind: 'other', target })
    expect(await verdictOf(allow('queue(jobs:*)'), 'queue', other('jobs:mail'))).toBe('allow')
    expect(await verdictOf(allow('queue(jobs:*)'), 'queue', other('users:mail'))).toBe('ask')
    expect(await verdictOf(deny('queue(jobs:*)'), 'queue', other('JOBS:mail'))).toBe('deny')
  })
})
