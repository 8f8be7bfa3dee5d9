import type { Ids } from '../protocol/clock.ts'
import { ToolError } from '../protocol/errors.ts'
import type { Artifact } from '../protocol/messages.ts'
import type { PresentedFile, ToolContext } from './tool.ts'

/** Stores a file that a tool presents. Rejects with `tool.failed` for what is no such file, or as the blobs do. */
export async function presentedFile(
  file: PresentedFile,
  { toolName, blobs, ids }: { readonly toolName: string; readonly blobs: ToolContext['blobs']; readonly ids: Ids },
): Promise<Artifact> {
  const { name, mediaType, bytes, title } = file
  if (typeof name !== 'string' || typeof mediaType !== 'string' || !(bytes instanceof Uint8Array)) {
    const hint = 'present takes { name, mediaType, bytes }, with the bytes as a Uint8Array'
    throw new ToolError('tool.failed', `Tool "${toolName}": ${hint}.`)
  }
  const blob = await blobs.put(bytes, mediaType)
  const { size, sha256 } = blob
  return { id: ids('art'), name, mediaType, size, sha256, blob, ...(title !== undefined && { title }) }
}
