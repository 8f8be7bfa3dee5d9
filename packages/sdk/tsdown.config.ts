import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { defineConfig } from 'tsdown'

// The `exports` of the package are the only list of its entries: each subpath names its source under the condition
// "@stepwell/source" and its built file under "default".
type Subpath = string | { '@stepwell/source': string; default: string }

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Subpath> }
const entry: Record<string, string> = {}
for (const subpath of Object.values(manifest.exports)) {
  if (typeof subpath !== 'string') entry[basename(subpath.default, '.js')] = subpath['@stepwell/source']
}
const entries = new Set(Object.values(entry).map((path) => resolve(path)))

interface Imports {
  readonly importedIds: readonly string[]
  readonly dynamicallyImportedIds: readonly string[]
}

interface Graph {
  getModuleInfo(id: string): Imports | null
}

/** The modules that are loaded with an entry, at once or late. */
interface Loaded {
  readonly atOnce: ReadonlySet<string>
  readonly late: ReadonlySet<string>
}

function loadedWith(name: string, graph: Graph): Loaded {
  const reached = (roots: readonly string[], follow: readonly (keyof Imports)[]): Set<string> => {
    const modules = new Set<string>()
    const load = (id: string): void => {
      const module = graph.getModuleInfo(id)
      if (modules.has(id) || module === null) return
      modules.add(id)
      for (const kind of follow) module[kind].forEach(load)
    }
    roots.forEach(load)
    return modules
  }
  const atOnce = reached([resolve(entry[name] as string)], ['importedIds'])
  const later = [...atOnce].flatMap((id) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? [])
  return { atOnce, late: reached(later, ['importedIds', 'dynamicallyImportedIds']) }
}

type In = (name: string) => boolean

/**
 * What is loaded together anyway lies together. Left alone, each set of entries that share something gets a file of its
 * own for it, and finding and reading so many takes Node twice as long. A module lies in the first of these it fits in.
 * What the late parts of a client need lies by itself: of a file that they share with the rest, an app's bundler takes all
 * that either needs into what is loaded at once.
 */
const FILES: Record<string, (atOnce: In, late: In) => boolean> = {
  base: (atOnce, late) => atOnce('index') && late('client') && (atOnce('client') || atOnce('view')),
  tools: (atOnce, late) => atOnce('index') && late('client'),
  protocol: (atOnce) => atOnce('index') && (atOnce('client') || atOnce('view')),
  core: (atOnce) => atOnce('index'),
  providers: (atOnce) => ['openai', 'openai-responses', 'anthropic'].filter(atOnce).length > 1,
}

const known = new Map<string, Loaded>()

function fileOf(id: string, graph: Graph): string | null {
  if (entries.has(id)) return null
  const loaded = (name: string): Loaded => {
    const found = known.get(name) ?? loadedWith(name, graph)
    known.set(name, found)
    return found
  }
  const atOnce: In = (name) => loaded(name).atOnce.has(id)
  const late: In = (name) => loaded(name).late.has(id)
  return Object.keys(FILES).find((name) => FILES[name]?.(atOnce, late)) ?? null
}

const groups = Object.keys(FILES).map((name, index, { length }) => ({
  name: (id: string, graph: Graph) => (fileOf(id, graph) === name ? name : null),
  priority: length - index,
}))

export default defineConfig({
  // Beside the subpaths the program of the package's `bin`, of which nobody needs the types.
  entry: { ...entry, stepwell: 'src/headless/cli/stepwell.node.ts' },
  platform: 'neutral',
  deps: { neverBundle: [/^node:/] },
  target: 'es2022',
  sourcemap: true,
  dts: true,
  fixedExtension: false,
  outputOptions: { codeSplitting: { groups } },
})
