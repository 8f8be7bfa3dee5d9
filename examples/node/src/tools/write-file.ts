import { defineTool } from '@stepwell/sdk'
import { lineDiff } from './line-diff.ts'
import { readText, writeText } from './text-file.ts'
import type { Workspace } from './workspace.ts'

export function writeFile(workspace: Workspace) {
  /** What is there, when it is text. A path that leads outside is refused by the writing. */
  const current = (path: string) => readText(workspace, path).catch(() => undefined)

  return defineTool<{ path: string; text: string }>({
    name: 'write_file',
    description: 'Writes a whole text file, new or over what was there. For a part of a file use edit_file.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the current folder.' },
        text: { type: 'string' },
      },
      required: ['path', 'text'],
      additionalProperties: false,
    },
    operations: ({ path }) => [{ kind: 'write', target: path }],
    async describeEffect({ path, text }) {
      const before = await current(path)
      return {
        title: before === undefined ? `Write ${path}` : `Overwrite ${path}`,
        path,
        ...lineDiff(before ?? '', text),
      }
    },
    async execute({ path, text }, ctx) {
      const before = await current(path)
      const { diff, added, removed } = lineDiff(before ?? '', text)
      await writeText(workspace, path, text)
      ctx.fileChange({ path, kind: before === undefined ? 'created' : 'modified', diff, added, removed })
      return `Wrote ${path}: ${text.length} characters.`
    },
  })
}
