import { defineTool } from '@stepwell/sdk'
import { shownPath, walk } from './walk.ts'
import type { Workspace } from './workspace.ts'

const MAX_ENTRIES = 500

export function listFiles(workspace: Workspace) {
  return defineTool<{ path?: string }>({
    name: 'list_files',
    description: `Lists the files below a folder, at most ${MAX_ENTRIES}. Leaves out .git, node_modules and links.`,
    effect: 'read',
    input: {
      type: 'object',
      properties: { path: { type: 'string', description: 'A folder, relative. Default: the current one.' } },
      additionalProperties: false,
    },
    operations: ({ path = '.' }) => [{ kind: 'read', target: path }],
    async execute({ path = '.' }, { signal }) {
      const found: string[] = []
      for await (const entry of walk(await workspace.existing(path), signal)) {
        if (entry.kind !== 'file') continue
        if (found.length === MAX_ENTRIES) return [...found, '[there are more: list a folder below]'].join('\n')
        found.push(shownPath(workspace.root, entry.path))
      }
      return found.length === 0 ? 'There are no files.' : found.join('\n')
    },
  })
}
