import { defineTool, ToolError } from '@stepwell/sdk'
import { lineDiff } from 'stepwell-example-node/line-diff'
import { z } from 'zod'
import { readText, writeText } from './project.ts'

const input = z.object({
  path: z.string(),
  oldText: z.string().min(1).describe('It has to be in the file exactly once.'),
  newText: z.string(),
})

export const editFile = defineTool({
  name: 'edit_file',
  description: 'Replaces a text in a file of the project.',
  input,
  operations: ({ path }) => [{ kind: 'write', target: path }],
  describeEffect({ path, oldText, newText }) {
    // The lines alone: where in the file they are is not known here.
    const [, ...lines] = lineDiff(wholeLines(oldText), wholeLines(newText)).diff.split('\n')
    return { title: `Edit ${path}`, path, diff: lines.join('\n') }
  },
  execute({ path, oldText, newText }, { sessionId, fileChange }) {
    const before = readText(sessionId, path)
    const pieces = before.split(oldText)
    if (pieces.length !== 2) {
      throw new ToolError('tool.failed', `oldText is in ${path} ${pieces.length - 1} times. It has to be there once.`)
    }
    const after = pieces.join(newText)
    const { diff, added, removed } = lineDiff(before, after)
    writeText(sessionId, path, after)
    fileChange({ path, kind: 'modified', diff, added, removed })
    return `Edited ${path}: ${added} lines added, ${removed} removed.`
  },
})

/** Where the text ends in the middle of a line, that is not the end of the file. */
function wholeLines(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
