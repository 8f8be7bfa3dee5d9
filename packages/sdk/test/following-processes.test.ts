import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createAgent, defineTool } from '../src/index.ts'
import { sqliteStore } from '../src/stores/sqlite/index.ts'
import { hold, scriptedModel } from '../src/testing/index.ts'

const script = fileURLToPath(new URL('./fixtures/follower-child.ts', import.meta.url))

it.each([
  ['follow', ['running', 'stop', 'over']],
  ['events', ['running', 'over']],
  ['settled', ['running', 'absorbed', 'over']],
])(
  'a process that awaits a run of another one stays alive for it: %s',
  async (how, said) => {
    const folder = mkdtempSync(join(tmpdir(), 'stepwell-following-'))
    const path = join(folder, 'shared.db')
    const working = hold()
    const started = hold()
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      input: { type: 'object' },
      execute: () => {
        started.open()
        return working.opened
      },
    })
    const model = scriptedModel([{ calls: [{ name: 'slow', input: {} }] }, 'Done.'])
    const agent = createAgent({ model, tools: [slow], store: sqliteStore(path) })
    try {
      const session = await agent.session('s')
      const run = session.run('Work.')
      await started.opened
      const { inputId = '' } = await session.send('And hurry.')

      const child = spawn(process.execPath, ['--import', 'tsx', script, path, 's', how, inputId])
      const exited = once(child, 'exit')
      const lines: string[] = []
      for await (const line of createInterface(child.stdout)) {
        lines.push(line)
        if (line === 'running') working.open()
      }
      expect(lines).toEqual(said)
      expect(await exited).toEqual([0, null])
      expect((await run.result).reason).toBe('stop')
    } finally {
      working.open()
      await agent.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  30_000,
)
