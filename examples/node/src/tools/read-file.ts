import { defineTool } from '@stepwell/sdk'
import { readText } from './text-file.ts'
import type { Workspace } from './workspace.ts'

const MAX_LINES = 1_000

export function readFile(workspace: Workspace) {
  return defineTool<{ path: string; from?: number; lines?: number }>({
    name: 'read_file',
    description: `Reads a text file, at most ${MAX_LINES} lines at once.`,
    effect: 'read',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the current folder.' },
        from: { type: 'integer', minimum: 1, description: 'The first line to read. Default 1.' },
        lines: { type: 'integer', minimum: 1, maximum: MAX_LINES },
      },
      required: ['path'],
      additionalProperties: false,
    },
    operations: ({ path }) => [{ kind: 'read', target: path }],
    async execute({ path, from = 1, lines = MAX_LINES }) {
      const text = await readText(workspace, path)
      const all = text.split('\n')
      const last = from - 1 + lines
      const part = all.slice(from - 1, last).join('\n')
      return all.length > last ? `${part}\n[lines ${from} to ${last} of ${all.length}; read on with from]` : part
    },
  })
}
