import { defineTool, ToolError } from '@stepwell/sdk'
import { lineDiff } from './line-diff.ts'
import { readText, writeText } from './text-file.ts'
import type { Workspace } from './workspace.ts'

interface Edit {
  path: string
  oldText: string
  newText: string
}

export function editFile(workspace: Workspace) {
  async function edited({ path, oldText, newText }: Edit) {
    const before = await readText(workspace, path)
    const after = replaced(before, oldText, newText)
    return { before, after, ...lineDiff(before, after) }
  }

  return defineTool<Edit>({
    name: 'edit_file',
    description: 'Replaces a text in a file. It must be in the file exactly once, so give enough of what is around it.',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the current folder.' },
        oldText: { type: 'string', minLength: 1 },
        newText: { type: 'string' },
      },
      required: ['path', 'oldText', 'newText'],
      additionalProperties: false,
    },
    operations: ({ path }) => [{ kind: 'write', target: path }],
    async describeEffect(edit) {
      const { diff } = await edited(edit)
      return { title: `Edit ${edit.path}`, path: edit.path, diff }
    },
    async execute(edit, ctx) {
      const { after, diff, added, removed } = await edited(edit)
      await writeText(workspace, edit.path, after)
      ctx.fileChange({ path: edit.path, kind: 'modified', diff, added, removed })
      return `Edited ${edit.path}: ${added} lines added, ${removed} removed.`
    },
  })
}

/** Throws `edit.no-match`, `edit.ambiguous` or `edit.no-change`. */
function replaced(text: string, oldText: string, newText: string): string {
  const at = text.indexOf(oldText)
  if (at === -1) {
    throw new ToolError('edit.no-match', 'oldText is not in the file. Read the file again and copy it exactly.')
  }
  if (text.indexOf(oldText, at + 1) !== -1) {
    throw new ToolError('edit.ambiguous', 'oldText is in the file more than once. Give more of what is around it.')
  }
  if (oldText === newText) throw new ToolError('edit.no-change', 'oldText and newText are the same.')
  return text.slice(0, at) + newText + text.slice(at + oldText.length)
}
