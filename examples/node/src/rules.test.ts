import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileRules } from './rules.ts'
import { folderWith } from './testing/folder.ts'

const owner = { sessionId: 's' }

test('what is always allowed outlives the process, what a session allows does not', async () => {
  const path = join(folderWith({}), 'new/rules.json')
  const rules = fileRules(path)
  await rules.remember('tool(a)', 'session', owner)
  await Promise.all(['tool(b)', 'tool(c)', 'tool(b)'].map((rule) => rules.remember(rule, 'always', owner)))
  expect(await rules.load(owner)).toEqual(['tool(a)', 'tool(b)', 'tool(c)'])
  expect(await rules.load({ sessionId: 'other' })).toEqual(['tool(b)', 'tool(c)'])
  expect(await fileRules(path).load(owner)).toEqual(['tool(b)', 'tool(c)'])
})

test('a file that is none of ours is not written over', async () => {
  const path = join(folderWith({ 'rules.json': '{ "mine": ' }), 'rules.json')
  await expect(fileRules(path).load(owner)).rejects.toThrow()
  await expect(fileRules(path).remember('tool(a)', 'always', owner)).rejects.toThrow()
  expect(readFileSync(path, 'utf8')).toBe('{ "mine": ')
})
