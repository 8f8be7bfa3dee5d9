import { opendir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** What a person does not mean by "the files here". */
const SKIPPED = new Set(['.git', '.stepwell', 'node_modules'])

/** Real paths below `folder`, in order of name, folders before what is in them. Links are named but never followed. */
export async function* walk(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly path: string; readonly kind: 'file' | 'folder' | 'other' }> {
  signal.throwIfAborted()
  const entries = []
  for await (const entry of await opendir(folder)) if (!SKIPPED.has(entry.name)) entries.push(entry)
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    yield { path, kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other' }
    // A folder that cannot be opened is like an empty one.
    if (entry.isDirectory()) yield* quietly(walk(path, signal), signal)
  }
}

async function* quietly<T>(items: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* items
  } catch {
    signal.throwIfAborted()
  }
}

/** As tools say it: relative, with forward slashes. */
export function shownPath(root: string, path: string): string {
  return relative(root, path).replaceAll(sep, '/') || '.'
}
