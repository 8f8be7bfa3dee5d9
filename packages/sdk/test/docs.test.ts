import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { guides, root } from './docs/blocks.ts'
import { type CompiledBlocks, compile } from './docs/compile.ts'
import { fakeApis } from './docs/fake-apis.ts'
import { loadModules, run } from './docs/run.ts'

const pages = guides()
const blocks = pages.flatMap((page) => page.blocks)
const realFetch = globalThis.fetch
const home = process.cwd()
const folder = mkdtempSync(join(tmpdir(), 'stepwell-docs-'))
let compiled: CompiledBlocks
let modules: Awaited<ReturnType<typeof loadModules>>

beforeAll(async () => {
  compiled = compile(blocks)
  modules = await loadModules(blocks)
}, 60_000)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

afterAll(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true, force: true })
})

describe.each(blocks)('$name', (block) => {
  it('compiles', () => {
    expect(compiled.problems(block)).toEqual([])
  })

  it('runs', async () => {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'DEEPSEEK_API_KEY']) vi.stubEnv(name, 'sk-of-a-guide')
    vi.stubGlobal('fetch', fakeApis(block.replies, realFetch))
    // What a block writes to disk is written here, out of the others' sight.
    process.chdir(mkdtempSync(join(folder, 'block-')))
    const printed = await run(block, modules)
    if (block.output !== undefined) expect(printed.trimEnd()).toBe(block.output.trimEnd())
  })
})

describe.each(pages)('$path', ({ path, text }) => {
  it('has only blocks of a known kind', () => {
    const kinds = [...text.matchAll(/^```(.+)$/gm)].map(([, kind]) => kind)
    expect(kinds.filter((kind) => !/^(tsx?|sh|text|text output|json|mermaid)$/.test(kind ?? ''))).toEqual([])
  })

  it('links to what is there', () => {
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const broken = links.filter((link) => !/^https?:/.test(link) && !leads(path, link))
    expect(broken).toEqual([])
  })
})

describe('what a guide lists whole', () => {
  const rowsOf = (path: string, heading: string): string[] => {
    const text = pages.find((page) => page.path === path)?.text ?? ''
    const [, section = ''] = text.split(`\n## ${heading}\n`)
    const [own = ''] = section.split(/\n## /)
    return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code = '']) => code).sort()
  }

  it.each([
    ['docs/errors.md', 'Codes', 'ErrorCode'],
    ['docs/finish-reasons.md', 'Reasons', 'FinishReason'],
    ['docs/finish-reasons.md', 'In the log', 'FinishReason'],
    ['docs/finish-reasons.md', 'Notices', 'NoticeCode'],
    ['docs/plugins.md', 'Hooks', 'HookName'],
  ] as const)('%s, %s: every %s and no other', (path, heading, type) => {
    expect(rowsOf(path, heading)).toEqual(compiled.literals(type).sort())
  })
})

function leads(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : join(dirname(path), file)
  if (!existsSync(join(root, target))) return false
  if (anchor === undefined) return true
  const headings = [...(pages.find((page) => page.path === target)?.text ?? '').matchAll(/^#+ (.+)$/gm)]
  return headings.some(([, heading = '']) => slug(heading) === anchor)
}

/** As the anchors of Markdown pages are made. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
