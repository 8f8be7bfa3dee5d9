import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callTool } from '../testing/call-tool.ts'
import { folderWith } from '../testing/folder.ts'
import { editFile } from './edit-file.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { searchFiles } from './search-files.ts'
import { openWorkspace } from './workspace.ts'
import { writeFile } from './write-file.ts'

const CODE = 'const a = 1\nconst b = 2\n'

async function workspaceWith(files: Readonly<Record<string, string>>) {
  const workspace = await openWorkspace(folderWith(files))
  return { workspace, read: (path: string) => readFileSync(join(workspace.root, path), 'utf8') }
}

test('edit_file replaces exactly what it was given, dollar signs too, and shows the diff', async () => {
  const { workspace, read } = await workspaceWith({ 'a.ts': CODE })
  const edit = { path: 'a.ts', oldText: 'b = 2', newText: "b = '$&'" }
  const diff = "@@ -1,2 +1,2 @@\n const a = 1\n-const b = 2\n+const b = '$&'"
  expect(await editFile(workspace).describeEffect?.(edit)).toEqual({ title: 'Edit a.ts', path: 'a.ts', diff })
  expect(read('a.ts')).toBe(CODE)
  const { result } = await callTool(editFile(workspace), edit)
  expect(result.changes).toEqual([{ path: 'a.ts', kind: 'modified', diff, added: 1, removed: 1 }])
  expect(read('a.ts')).toBe("const a = 1\nconst b = '$&'\n")
})

test.each([
  ['edit.no-match', 'const c', 'x'],
  ['edit.ambiguous', 'const', 'let'],
  ['edit.no-change', 'b = 2', 'b = 2'],
])('edit_file: %s leaves the file alone', async (code, oldText, newText) => {
  const { workspace, read } = await workspaceWith({ 'a.ts': CODE })
  const { result } = await callTool(editFile(workspace), { path: 'a.ts', oldText, newText })
  expect(result).toMatchObject({ outcome: 'error', code })
  expect(read('a.ts')).toBe(CODE)
})

test('write_file tells new files from old ones', async () => {
  const { workspace, read } = await workspaceWith({ 'a.ts': CODE })
  const effect = await writeFile(workspace).describeEffect?.({ path: 'a.ts', text: 'x\n' })
  expect(effect).toMatchObject({ title: 'Overwrite a.ts', diff: expect.stringContaining('-const a = 1') })
  const { result } = await callTool(writeFile(workspace), { path: 'new/b.ts', text: 'x\n' })
  expect(result.changes).toMatchObject([{ path: 'new/b.ts', kind: 'created', added: 1, removed: 0 }])
  expect(read('new/b.ts')).toBe('x\n')
})

test('read_file reads a part and says where it goes on', async () => {
  const { workspace } = await workspaceWith({ 'a.txt': '1\n2\n3\n4' })
  expect((await callTool(readFile(workspace), { path: 'a.txt' })).result.output).toBe('1\n2\n3\n4')
  const { result } = await callTool(readFile(workspace), { path: 'a.txt', from: 2, lines: 2 })
  expect(result.output).toBe('2\n3\n[lines 2 to 3 of 4; read on with from]')
})

test('list_files and search_files stay out of what is not meant, and follow no link', async () => {
  const outside = folderWith({ 'secret.txt': 'needle' })
  const { workspace } = await workspaceWith({
    'b.txt': 'hay\n  a Needle here\n',
    'a/c.txt': 'needle',
    'node_modules/x.js': 'needle',
    '.git/config': 'needle',
    image: 'needle\0',
  })
  symlinkSync(outside, join(workspace.root, 'out'))
  symlinkSync(join(outside, 'secret.txt'), join(workspace.root, 'secret.txt'))
  expect((await callTool(listFiles(workspace), {})).result.output).toBe('a/c.txt\nb.txt\nimage')
  expect((await callTool(searchFiles(workspace), { text: 'needle' })).result.output).toBe(
    'a/c.txt:1: needle\nb.txt:2: a Needle here',
  )
  expect((await callTool(searchFiles(workspace), { text: '.*' })).result.output).toBe('Nothing here contains ".*".')
  expect((await callTool(searchFiles(workspace), { text: 'x', path: 'out' })).result.code).toBe('path.refused')
})

test('search_files stops at its limit and says so', async () => {
  const { workspace } = await workspaceWith({ 'a.txt': 'x\n'.repeat(200) })
  const { result } = await callTool(searchFiles(workspace), { text: 'x' })
  expect(String(result.output).split('\n')).toHaveLength(101)
  expect(result.output).toContain('there are more')
})
