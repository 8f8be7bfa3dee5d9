import { defineTool } from '@stepwell/sdk'
import { z } from 'zod'
import { readText } from './project.ts'

export const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a file of the project. README.md names them all.',
  effect: 'read',
  input: z.object({ path: z.string() }),
  execute: ({ path }, { sessionId }) => readText(sessionId, path),
})
