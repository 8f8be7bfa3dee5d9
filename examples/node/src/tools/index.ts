import type { Tool } from '@stepwell/sdk'
import { editFile } from './edit-file.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { runCommand } from './run-command.ts'
import { searchFiles } from './search-files.ts'
import type { Workspace } from './workspace.ts'
import { writeFile } from './write-file.ts'

export function fileTools(workspace: Workspace): Tool[] {
  return [
    listFiles(workspace),
    readFile(workspace),
    searchFiles(workspace),
    editFile(workspace),
    writeFile(workspace),
    runCommand(workspace),
  ]
}
