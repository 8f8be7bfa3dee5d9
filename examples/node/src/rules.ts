import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { memoryRules, type RuleMemory } from '@stepwell/sdk/permissions'

/** Remembers what is always allowed in a JSON file, and what a session allows as long as the process lives. */
export function fileRules(path: string): RuleMemory {
  const ofSessions = memoryRules()
  /** One writing at a time: each adds to what the one before left. */
  let written: Promise<void> = Promise.resolve()

  async function kept(): Promise<readonly string[]> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '[]'
      throw error
    })
    const rules: unknown = JSON.parse(text)
    return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : []
  }
  async function add(rule: string): Promise<void> {
    const rules = new Set(await kept()).add(rule)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, `${JSON.stringify([...rules], undefined, 2)}\n`)
    await rename(`${path}.new`, path)
  }

  return {
    load: async (owner) => [...(await ofSessions.load(owner)), ...(await kept())],
    remember(rule, scope, owner) {
      if (scope === 'session') return ofSessions.remember(rule, scope, owner)
      const adding = written.then(() => add(rule))
      written = adding.catch(() => {})
      return adding
    },
  }
}
