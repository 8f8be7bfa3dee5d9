import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, stat } from 'node:fs/promises'
import { dirname, join, normalize, posix, relative, sep } from 'node:path'
import { ToolError } from '@stepwell/sdk'

/** Absent on Windows, where these flags mean nothing. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants

/** One folder and everything below it. Paths of tools are relative to it and never lead out of it. */
export interface Workspace {
  readonly root: string
  /** The real path of an existing file or folder. Rejects with `path.refused`, whether it is missing or elsewhere. */
  existing(path: string): Promise<string>
  /** Opens a regular file for reading. */
  openToRead(path: string): Promise<FileHandle>
  /** Opens a regular file for writing, and makes it and its folders where they are missing. It is not emptied. */
  openToWrite(path: string): Promise<FileHandle>
}

/** `folder` may itself be reached through links. */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = await realpath(folder)

  async function existing(path: string): Promise<string> {
    const real = await realpath(join(root, checked(path))).catch(() => refused(path))
    return isInside(root, real) ? real : refused(path)
  }

  /** Whatever was swapped for a link between the look and the opening: what is open must be what lies inside. */
  async function verified(handle: FileHandle, real: string, path: string): Promise<FileHandle> {
    try {
      const [opened, now] = [await handle.stat(), await realpath(real)]
      const there = await stat(now)
      const isSame = opened.dev === there.dev && opened.ino === there.ino
      if (isSame && opened.isFile() && isInside(root, now)) return handle
    } catch {
      // It is gone: the same as not being inside.
    }
    await handle.close()
    return refused(path)
  }

  async function openAt(real: string, flags: number, path: string): Promise<FileHandle> {
    const handle = await open(real, flags | O_NOFOLLOW | O_NONBLOCK, 0o644).catch(() => refused(path))
    return verified(handle, real, path)
  }

  return {
    root,
    existing,
    async openToRead(path) {
      return openAt(await existing(path), O_RDONLY, path)
    },
    async openToWrite(path) {
      const name = checked(path)
      if (name === '.') return refused(path)
      const there = await existing(path).catch(() => undefined)
      if (there !== undefined) return openAt(there, O_RDWR, path)
      const folder = await madeFolder(dirname(name), path)
      return openAt(join(folder, posix.basename(name)), O_RDWR | O_CREAT | O_EXCL, path)
    },
  }

  /** Folder by folder, each one looked at: nothing is made behind a link that leads out. */
  async function madeFolder(name: string, path: string): Promise<string> {
    let folder = root
    for (const step of name.split(posix.sep).filter((step) => step !== '.')) {
      const next = join(folder, step)
      const found = await lstat(next).catch(() => undefined)
      if (found === undefined) await mkdir(next).catch(() => refused(path))
      folder = await existing(relative(root, next).replaceAll(sep, posix.sep))
    }
    return folder
  }
}

/** The path with forward slashes and without detours, or a refusal that does not tell what exists elsewhere. */
function checked(path: string): string {
  const name = normalize(path)
    .replaceAll(sep, posix.sep)
    .replace(/(?<=.)\/+$/, '')
  const steps = name.split(posix.sep)
  const isOdd = path === '' || path.includes('\0') || path.includes('\\') || ENCODED.test(path)
  if (isOdd || posix.isAbsolute(name) || /^[a-z]+:/i.test(path) || steps[0] === '..' || steps.some(isDevice)) {
    return refused(path)
  }
  return name
}

/** A dot, a slash or a backslash in the spelling of URLs, however often encoded. */
const ENCODED = /%(25)*(2e|2f|5c)/i

/** Names that Windows gives to devices, wherever they stand. */
function isDevice(step: string): boolean {
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(step)
}

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
}

function refused(path: string): never {
  throw new ToolError(
    'path.refused',
    `${JSON.stringify(path)} cannot be used: there is no such file, or it is outside of the current folder. Give a path relative to that folder, with forward slashes.`,
  )
}
