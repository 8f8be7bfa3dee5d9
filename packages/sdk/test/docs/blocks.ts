import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FakeReply } from './fake-apis.ts'

export const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** One ```ts block of a guide: a module of its own. */
export interface Block {
  /** `docs/tools.md:12`, the line of its fence. */
  readonly name: string
  readonly code: string
  /** What runs before it and is not shown, from `<!-- run: … -->` right before the fence. */
  readonly preamble: string
  /** What the models say while it runs, from `<!-- replies: [JSON] -->` right before the fence. */
  readonly replies?: readonly FakeReply[]
  /** What it prints, from a "```text output" block right after it. */
  readonly output?: string
}

export interface Guide {
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

export function guides(): Guide[] {
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  return [join(root, 'README.md'), join(root, 'CONTRIBUTING.md'), ...pages.map((file) => join(root, 'docs', file))].map(
    (file) => {
      const text = readFileSync(file, 'utf8')
      const path = relative(root, file)
      return { path, text, blocks: blocksOf(path, text) }
    },
  )
}

const BLOCK =
  /((?:^<!--[\s\S]*?-->\n+)*)^```ts\n([\s\S]*?)^```\n(?:(?:\s*^Prints:\n)?\s*^```text output\n([\s\S]*?)^```\n)?/gm

function blocksOf(path: string, text: string): Block[] {
  return [...text.matchAll(BLOCK)].map((match) => {
    const [, comments = '', code = '', output] = match
    const line = text.slice(0, match.index + comments.length).split('\n').length
    const replies = said('replies', comments)
    return {
      name: `${path}:${line}`,
      code,
      preamble: said('run', comments) ?? '',
      ...(replies !== undefined && { replies: JSON.parse(replies) as FakeReply[] }),
      ...(output !== undefined && { output }),
    }
  })
}

function said(key: string, comments: string): string | undefined {
  return new RegExp(`<!-- ${key}:([\\s\\S]*?)-->`).exec(comments)?.[1]?.trim()
}
