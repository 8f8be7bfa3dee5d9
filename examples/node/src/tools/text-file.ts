import type { FileHandle } from 'node:fs/promises'
import { ToolError } from '@stepwell/sdk'
import type { Workspace } from './workspace.ts'

/** Larger files are for `search_files`. */
const MAX_BYTES = 5_000_000

/** The text of a file. Rejects with `path.refused`, `file.too-large` or `file.not-text`. */
export async function readText(workspace: Workspace, path: string): Promise<string> {
  const file = await workspace.openToRead(path)
  try {
    return await textOf(file, path)
  } finally {
    await file.close()
  }
}

/** Writes the whole file anew. */
export async function writeText(workspace: Workspace, path: string, text: string): Promise<void> {
  const file = await workspace.openToWrite(path)
  try {
    await file.truncate()
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

async function textOf(file: FileHandle, path: string): Promise<string> {
  const { size } = await file.stat()
  if (size > MAX_BYTES) {
    throw new ToolError('file.too-large', `${path} has ${size} bytes; the limit is ${MAX_BYTES}. Search it instead.`)
  }
  const text = decoded(await file.readFile())
  if (text === undefined) throw new ToolError('file.not-text', `${path} is not a text file in UTF-8.`)
  return text
}

/** UTF-8 text as it is, with its byte order mark; undefined for anything else. */
function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_192).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
