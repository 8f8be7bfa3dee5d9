import { mkdir, mkdtemp, rm, symlink, realpath as systemRealpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { permissions } from './permissions.ts'
import { realpath } from './realpath.node.ts'

let root = ''

beforeAll(async () => {
  root = await systemRealpath(await mkdtemp(join(tmpdir(), 'stepwell-links-')))
  await mkdir(join(root, 'work/reports'), { recursive: true })
  await mkdir(join(root, 'secret/deep'), { recursive: true })
  await writeFile(join(root, 'secret/a'), '')
  const links = {
    out: '../../secret',
    deep: '../../secret/deep',
    new: '../../secret/new',
    absolute: join(root, 'secret'),
    ring: 'ring',
    file: '../../secret/a',
  }
  for (const [name, to] of Object.entries(links)) await symlink(to, join(root, 'work/reports', name))
})

afterAll(() => rm(root, { recursive: true, force: true }))

test.each([
  ['work/reports', 'work/reports'],
  ['work/./reports/../reports/', 'work/reports'],
  ['work/reports/none/a', 'work/reports/none/a'],
  ['work/reports/out/a', 'secret/a'],
  ['work/reports/out/none', 'secret/none'],
  ['work/reports/absolute/a', 'secret/a'],
  ['work/reports/new', 'secret/new'],
  ['work/reports/deep/../a', 'secret/a'],
  ['work/reports/file/b', 'secret/a/b'],
])('%s is %s', async (path, real) => {
  expect(await realpath(`${root}/${path}`)).toBe(`${root}/${real}`)
})

test('agrees with the system on what exists', async () => {
  for (const path of ['work/reports/out/a', 'work/reports/deep/../a', 'work/reports/absolute']) {
    expect(await realpath(`${root}/${path}`)).toBe(await systemRealpath(`${root}/${path}`))
  }
})

test('a ring of links rejects', async () => {
  await expect(realpath(join(root, 'work/reports/ring/a'))).rejects.toThrow('Too many links')
})

test('a policy with it sees through links', async () => {
  const policy = permissions({ cwd: join(root, 'work'), realpath, rules: { allow: ['file(./reports/**)'] } })
  const verdict = async (target: string) => {
    const operations = [{ kind: 'write', target }] as const
    return (await policy.decide({ toolName: 'file', effect: 'write', input: {}, operations, sessionId: 's' })).verdict
  }
  expect(await verdict('reports/a')).toBe('allow')
  expect(await verdict('reports/out/a')).toBe('ask')
  expect(await verdict('reports/new')).toBe('ask')
  expect(await verdict('reports/deep/../a')).toBe('ask')
  expect(await verdict('reports/ring')).toBe('ask')
})
