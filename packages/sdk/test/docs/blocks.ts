import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeReply } from './fake-apis.ts'

export const root = join(import.meta.dirname, '../../../..')

/** One ```ts or ```tsx block of a guide: a module of its own. */
export interface Block {
  readonly kind: 'ts' | 'tsx'
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

/** With their blocks of one kind: the others are somebody else's to run. */
export function guides(kind: Block['kind'] = 'ts'): Guide[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  )
  const readmes = ['README.md', 'CONTRIBUTING.md', 'packages/sdk/README.md', 'packages/react/README.md']
  const files = [...readmes, ...pages.map((file) => join('docs', file))]
  return files.map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, blocks: blocksOf(path, text, kind) }
  })
}

const BLOCK =
  /((?:^<!--[\s\S]*?-->\n+)*)^```(tsx?)\n([\s\S]*?)^```\n(?:(?:\s*^Prints:\n)?\s*^```text output\n([\s\S]*?)^```\n)?/gm

function blocksOf(path: string, text: string, kind: Block['kind']): Block[] {
  const matches = [...text.matchAll(BLOCK)].filter(([, , own]) => own === kind)
  return matches.map((match) => {
    const [, comments = '', , code = '', output] = match
    const line = text.slice(0, match.index + comments.length).split('\n').length
    const replies = said('replies', comments)
    return {
      kind,
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
