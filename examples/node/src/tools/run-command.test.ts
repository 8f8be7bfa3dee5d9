import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callTool } from '../testing/call-tool.ts'
import { folderWith } from '../testing/folder.ts'
import { runCommand } from './run-command.ts'
import { openWorkspace } from './workspace.ts'

const tool = async () => runCommand(await openWorkspace(folderWith({ 'a.txt': 'hello\n' })))

/** A pipe that reads to its end when every process which was given it as descriptor 3 is gone. */
async function withLifeline() {
  const folder = folderWith({})
  const tool = runCommand(await openWorkspace(folder))
  await callTool(tool, { command: 'mkfifo lifeline' })
  return { tool, allGone: readFile(join(folder, 'lifeline'), 'utf8') }
}

test('shows what is printed and tells the exit code', async () => {
  const { result, output } = await callTool(await tool(), { command: 'cat a.txt; echo oops >&2; exit 3' })
  expect(output).toContain('hello')
  expect(result.outcome).toBe('ok')
  expect(result.output).toMatch(/^exit code 3 after .*s\n/)
  expect(result.output).toContain('oops')
})

test('a command nobody knows is no failure of the tool', async () => {
  const { result } = await callTool(await tool(), { command: 'no-such-program-here' })
  expect(result.output).toMatch(/^exit code 127/)
})

test('is given no input, and no keys of ours', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { result } = await callTool(await tool(), { command: 'cat; env' })
  expect(result.output).toMatch(/^exit code 0/)
  expect(result.output).not.toContain('sk-secret')
})

test('the end of a long output is what the model is told', async () => {
  const command = 'i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done'
  const { result } = await callTool(await tool(), { command })
  expect(result.output).toContain('[the beginning is left out]')
  expect(result.output).toContain('line 19999')
  expect(String(result.output).length).toBeLessThan(31_000)
})

test('an abort kills the command with everything it started', async () => {
  const { tool, allGone } = await withLifeline()
  const command = 'exec 3>lifeline; sleep 600 & echo started >&3; echo ready; wait'
  const { result } = await callTool(tool, { command }, (_printed, stop) => stop())
  expect(result.outcome).toBe('aborted')
  expect(result.output).toContain('SIGTERM')
  expect(await allGone).toBe('started\n')
})

test('what a command leaves behind ends with it, and holds nothing up', async () => {
  const { tool, allGone } = await withLifeline()
  const { result } = await callTool(tool, { command: 'exec 3>lifeline; echo started >&3; sleep 600 &' })
  expect(result.output).toMatch(/^exit code 0/)
  expect(await allGone).toBe('started\n')
})
