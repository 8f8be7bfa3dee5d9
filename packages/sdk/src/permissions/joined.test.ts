import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PermissionCall } from '../protocol/permissions.ts'
import { permissions } from './permissions.ts'
import { readCommandLine } from './shell.ts'

const runs = (target: string): PermissionCall => {
  return { toolName: 'bash', effect: 'write', input: {}, operations: [{ kind: 'execute', target }], sessionId: 's' }
}

const policy = permissions({ cwd: '/work', rules: { allow: ['bash(git status)', 'bash(git log *)', 'bash(ls *)'] } })
const verdict = async (command: string) => (await policy.decide(runs(command))).verdict

const allowed = fc.constantFrom('git status', 'git log', 'git log -p --stat', 'ls', 'ls -la src', "git log '*.ts'")
const other = fc.constantFrom(
  'whoami',
  'rm -rf build',
  'git push',
  './evil',
  'git  statuss',
  'LS',
  'echo hi',
  'gi\\t statu',
)
const blank = fc.constantFrom('', ' ', '  ', '\t')

const operator = fc.constantFrom(
  '&&',
  '||',
  ';',
  '|',
  '&',
  '|&',
  '\n',
  '\n\n',
  ' # note\n',
  ';\n',
  '&& \\\n',
  '\r\n',
  '\u2028',
  '\r',
)
const wrap = fc.constantFrom(
  (a: string, b: string) => `${a} $(${b})`,
  (a: string, b: string) => `${a} \`${b}\``,
  (a: string, b: string) => `${a} "$(${b})"`,
  (a: string, b: string) => `${a} <(${b})`,
  (a: string, b: string) => `${a} >(${b})`,
  (a: string, b: string) => `${a} > $(${b})`,
  (a: string, b: string) => `${a} <<< "$(${b})"`,
  (a: string, b: string) => `${a} <<E\n$(${b})\nE`,
  (a: string, b: string) => `${a} <<'E'\nE\n${b}`,
  (a: string, b: string) => `x=$(${b}) ${a}`,
  (a: string, b: string) => `(${a}; ${b})`,
  (a: string, b: string) => `{ ${a}; ${b}; }`,
  (a: string, b: string) => `if ${a}; then ${b}; fi`,
  (a: string, b: string) => `while ${b}; do ${a}; done`,
  (a: string, b: string) => `f() { ${b}; }; ${a}`,
  (a: string, b: string) => `! ${b} || ${a}`,
  (a: string, b: string) => `${a} > out.txt | ${b}`,
  (a: string, b: string) => `bash -c '${b}' && ${a}`,
)

test('an allowed command joined to another one is never allowed', async () => {
  const property = fc.asyncProperty(
    allowed,
    blank,
    operator,
    blank,
    other,
    fc.boolean(),
    async (a, l, op, r, b, swap) => {
      const [first, second] = swap ? [b, a] : [a, b]
      expect(await verdict(first + l + op + r + second)).not.toBe('allow')
    },
  )
  await fc.assert(property, { seed: 1, numRuns: 1000 })
})

test('nor is it by substitution, redirection, here-document, grouping or definition', async () => {
  const property = fc.asyncProperty(allowed, wrap, other, async (a, join, b) => {
    expect(await verdict(join(a, b))).not.toBe('allow')
  })
  await fc.assert(property, { seed: 2, numRuns: 500 })
})

test('nor is it when it writes or reads a file', async () => {
  const redirect = fc.constantFrom('>', '>>', '>|', '&>', '&>>', '>&', '<', '<>', '2>', '{fd}>')
  const file = fc.constantFrom(
    'a',
    './a',
    '../a',
    '/etc/passwd',
    '"a b"',
    '$HOME/a',
    '~/.bashrc',
    '.git/hooks/pre-commit',
  )
  const property = fc.asyncProperty(allowed, redirect, blank, file, fc.boolean(), async (a, op, space, to, first) => {
    expect(await verdict(first ? `${op}${space}${to} ${a}` : `${a} ${op}${space}${to}`)).not.toBe('allow')
  })
  await fc.assert(property, { seed: 3, numRuns: 500 })
})

test('allowed commands joined by operators stay allowed', async () => {
  const plain = fc.constantFrom('&&', '||', ';', '|', '&', '\n', ';\n')
  const property = fc.asyncProperty(allowed, plain, allowed, async (a, op, b) => {
    expect(await verdict(`${a} ${op} ${b}`)).toBe('allow')
  })
  await fc.assert(property, { seed: 4, numRuns: 200 })
})

const scraps = [
  'git',
  'status',
  'ls',
  ' ',
  ' ',
  '"',
  "'",
  '\\',
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '*',
  '?',
  '~',
  '=',
  '!',
]
const shellText = fc
  .array(
    fc.constantFrom(
      ...scraps,
      ';',
      '&',
      '|',
      '<',
      '>',
      '#',
      '\n',
      '\t',
      '\r',
      '\0',
      '\u200b',
      '\u00a0',
      ',',
      ':',
      '-',
      'a',
      '1',
    ),
    {
      maxLength: 14,
    },
  )
  .map((pieces) => pieces.join(''))

test('what is not fully understood matches no rule that allows', async () => {
  const open = permissions({ rules: { allow: ['bash(*)', 'bash(git *)', 'bash(ls *)', 'bash(> /**)', 'bash(< /**)'] } })
  let unclear = 0
  const property = fc.asyncProperty(shellText, async (text) => {
    if (readCommandLine(text).unclear === undefined) return
    unclear++
    expect(await open.decide(runs(text))).toMatchObject({ verdict: 'ask', by: 'level' })
  })
  await fc.assert(property, { seed: 5, numRuns: 2000 })
  expect(unclear).toBeGreaterThan(500)
})

test('no text is too odd to be judged', async () => {
  const strict = permissions({ level: 'bypass', cwd: '/work', rules: { deny: ['bash(rm *)'] } })
  const property = fc.asyncProperty(fc.oneof(shellText, fc.string({ unit: 'binary', maxLength: 40 })), async (text) => {
    expect(['allow', 'ask', 'deny']).toContain((await strict.decide(runs(text))).verdict)
  })
  await fc.assert(property, { seed: 6, numRuns: 1000 })
})
