import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Options } from 'tsup'

// The `exports` of the package being built are the only list of its entries: each subpath names its source
// under the condition "@stepwell/source" and its built file under "default".
type Subpath = string | { '@stepwell/source': string; default: string }

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, Subpath> }
const entry: Record<string, string> = {}
for (const subpath of Object.values(manifest.exports)) {
  if (typeof subpath !== 'string') entry[basename(subpath.default, '.js')] = subpath['@stepwell/source']
}

export default {
  entry,
  format: ['esm'],
  target: 'es2022',
  clean: true,
  sourcemap: true,
  splitting: true,
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
} satisfies Options
