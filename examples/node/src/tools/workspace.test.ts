import { mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../testing/folder.ts'
import { readText, writeText } from './text-file.ts'
import { openWorkspace } from './workspace.ts'

/** A workspace reached through a link, with links inside: one that stays in, some that lead to the folder beside it. */
async function withLinks() {
  const top = folderWith({ 'ws/a.txt': 'a', 'ws/sub/b.txt': 'b', 'ws-private/secret.txt': 'secret' })
  symlinkSync(join(top, 'ws/sub'), join(top, 'ws/in'))
  symlinkSync(join(top, 'ws-private'), join(top, 'ws/out'))
  symlinkSync(join(top, 'ws-private/secret.txt'), join(top, 'ws/link.txt'))
  symlinkSync(join(top, 'ws-private/new.txt'), join(top, 'ws/dangling.txt'))
  symlinkSync(join(top, 'ws-private/nowhere'), join(top, 'ws/dangling'))
  symlinkSync(join(top, 'ws'), join(top, 'link-root'))
  return { top, workspace: await openWorkspace(join(top, 'link-root')) }
}

test.each([
  ['a.txt', 'a'],
  ['./sub/../a.txt', 'a'],
  ['in/b.txt', 'b'],
])('%s can be read', async (path, text) => {
  const { workspace } = await withLinks()
  expect(await readText(workspace, path)).toBe(text)
})

const OUTSIDE = [
  '../ws-private/secret.txt',
  '%2e%2e%2fws-private%2fsecret.txt',
  '%252e%252e%252fws-private/secret.txt',
  '..\\ws-private\\secret.txt',
  '/etc/passwd',
  'file:///etc/passwd',
  'a.txt\0.png',
  'out/secret.txt',
  'link.txt',
  'CON',
  '',
]

test.each([...OUTSIDE, '.', 'sub', 'missing.txt'])('%j cannot be read', async (path) => {
  const { workspace } = await withLinks()
  await expect(readText(workspace, path)).rejects.toMatchObject({ code: 'path.refused' })
})

test.each([...OUTSIDE, '.', 'sub', 'out/new/file.txt', 'dangling.txt', 'dangling/file.txt', 'a.txt/b'])(
  '%j cannot be written, and nothing is made outside',
  async (path) => {
    const { top, workspace } = await withLinks()
    await expect(writeText(workspace, path, 'x')).rejects.toMatchObject({ code: 'path.refused' })
    expect(readdirSync(join(top, 'ws-private'))).toEqual(['secret.txt'])
    expect(readFileSync(join(top, 'ws-private/secret.txt'), 'utf8')).toBe('secret')
  },
)

test('what is refused does not tell whether it exists', async () => {
  const { workspace } = await withLinks()
  const refusal = async (path: string) => String(await workspace.existing(path).catch((error: Error) => error.message))
  expect((await refusal('out/secret.txt')).replace('out/secret.txt', 'x')).toBe(
    (await refusal('out/nothing')).replace('out/nothing', 'x'),
  )
})

test('new folders are made, shorter text leaves nothing of a longer one', async () => {
  const { top, workspace } = await withLinks()
  await writeText(workspace, 'new/dir/file.txt', 'a longer text')
  await writeText(workspace, 'new/dir/file.txt', 'short')
  expect(readFileSync(join(top, 'ws/new/dir/file.txt'), 'utf8')).toBe('short')
})

test('a folder that becomes a link between two looks leads nowhere', async () => {
  const { top, workspace } = await withLinks()
  mkdirSync(join(top, 'ws/swapped'))
  expect(await workspace.existing('swapped')).toBe(join(workspace.root, 'swapped'))
  rmdirSync(join(top, 'ws/swapped'))
  symlinkSync(join(top, 'ws-private'), join(top, 'ws/swapped'))
  await expect(writeText(workspace, 'swapped/secret.txt', 'x')).rejects.toMatchObject({ code: 'path.refused' })
})

test('bytes that are no text, and too many of them, are refused', async () => {
  const { top, workspace } = await withLinks()
  writeFileSync(join(top, 'ws/image'), new Uint8Array([0, 1, 2]))
  writeFileSync(join(top, 'ws/latin'), new Uint8Array([0xe9]))
  writeFileSync(join(top, 'ws/large'), 'x'.repeat(5_000_001))
  await expect(readText(workspace, 'image')).rejects.toMatchObject({ code: 'file.not-text' })
  await expect(readText(workspace, 'latin')).rejects.toMatchObject({ code: 'file.not-text' })
  await expect(readText(workspace, 'large')).rejects.toMatchObject({ code: 'file.too-large' })
})
