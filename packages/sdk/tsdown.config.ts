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

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** What is loaded with an entry at once. */
function loadedWith(name: string, graph: Graph): Set<string> {
  const loaded = new Set<string>()
  const load = (id: string): void => {
    const module = graph.getModuleInfo(id)
    if (loaded.has(id) || module === null) return
    loaded.add(id)
    module.importedIds.forEach(load)
  }
  load(resolve(entry[name] as string))
  return loaded
}

/**
 * What is loaded together anyway lies together. Left alone, each set of entries that share something gets a file of its
 * own for it, and finding and reading so many takes Node twice as long. A module lies in the first of these it fits in.
 */
const FILES: Record<string, (isLoadedWith: (name: string) => boolean) => boolean> = {
  protocol: (isLoadedWith) => isLoadedWith('index') && (isLoadedWith('client') || isLoadedWith('view')),
  core: (isLoadedWith) => isLoadedWith('index'),
  providers: (isLoadedWith) => ['openai', 'openai-responses', 'anthropic'].filter(isLoadedWith).length > 1,
}

const known = new Map<string, Set<string>>()

function fileOf(id: string, graph: Graph): string | null {
  if (entries.has(id)) return null
  const isLoadedWith = (name: string): boolean => {
    const loaded = known.get(name) ?? loadedWith(name, graph)
    known.set(name, loaded)
    return loaded.has(id)
  }
  return Object.keys(FILES).find((name) => FILES[name]?.(isLoadedWith)) ?? null
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
