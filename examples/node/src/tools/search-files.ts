import { defineTool } from '@stepwell/sdk'
import { readText } from './text-file.ts'
import { shownPath, walk } from './walk.ts'
import type { Workspace } from './workspace.ts'

const MAX_MATCHES = 100
const MAX_FILES = 20_000
/** Characters of a line that are shown. */
const MAX_LINE = 200

export function searchFiles(workspace: Workspace) {
  return defineTool<{ text: string; path?: string }>({
    name: 'search_files',
    description: `Finds a text, case ignored, in the files below a folder. Gives path:line: text, at most ${MAX_MATCHES} times.`,
    effect: 'read',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, description: 'Taken as it is: no pattern.' },
        path: { type: 'string', description: 'A folder, relative. Default: the current one.' },
      },
      required: ['text'],
      additionalProperties: false,
    },
    operations: ({ path = '.' }) => [{ kind: 'read', target: path }],
    async execute({ text, path = '.' }, { signal }) {
      const wanted = text.toLowerCase()
      const found: string[] = []
      let files = 0
      for await (const entry of walk(await workspace.existing(path), signal)) {
        if (entry.kind !== 'file') continue
        if (++files > MAX_FILES) return [...found, `[only the first ${MAX_FILES} files were searched]`].join('\n')
        const name = shownPath(workspace.root, entry.path)
        // What is too large, not text or just gone is no place to find text in.
        const content = await readText(workspace, name).catch(() => '')
        if (!content.toLowerCase().includes(wanted)) continue
        for (const [index, line] of content.split('\n').entries()) {
          if (!line.toLowerCase().includes(wanted)) continue
          if (found.length === MAX_MATCHES) return [...found, '[there are more: search for something rarer]'].join('\n')
          found.push(`${name}:${index + 1}: ${line.trim().slice(0, MAX_LINE)}`)
        }
      }
      return found.length === 0 ? `Nothing here contains ${JSON.stringify(text)}.` : found.join('\n')
    },
  })
}
