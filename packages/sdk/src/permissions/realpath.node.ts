import { lstat, readlink } from 'node:fs/promises'

const MAX_LINKS = 40

/**
 * Follows every link in an absolute path, the ones at its end and the ones that point at nothing yet included: what is
 * written through a dangling link lands where it points. Names that do not exist stay as they are.
 * Rejects when links form a ring, and with the system's error when a folder may not be read.
 */
export async function realpath(path: string): Promise<string> {
  const ahead = path.split('/').reverse()
  const found: string[] = []
  let links = 0
  while (ahead.length > 0) {
    const name = ahead.pop()
    if (name === undefined || name === '' || name === '.') continue
    if (name === '..') {
      found.pop()
      continue
    }
    const target = await linkAt(`/${[...found, name].join('/')}`)
    if (target === undefined) found.push(name)
    else {
      if (++links > MAX_LINKS) throw new Error(`Too many links in ${path}`)
      if (target.startsWith('/')) found.length = 0
      ahead.push(...target.split('/').reverse())
    }
  }
  return `/${found.join('/')}`
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
