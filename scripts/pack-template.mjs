// Before create-stepwell is packed: its template is examples/starter, with the versions it is released with.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib.mjs'

const from = join(root, 'examples/starter')
const to = join(root, 'packages/create-stepwell/template')
const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'))

rmSync(to, { recursive: true, force: true })
cpSync(from, to, {
  recursive: true,
  filter: (path) => !/[/\\](node_modules|[^/\\]+\.db(-\w+)?|[^/\\]+\.tsbuildinfo|[^/\\]+\.test\.ts)$/.test(path),
})
const manifest = join(to, 'package.json')
const { dependencies, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
const pinned = { ...rest, dependencies: { ...dependencies, '@stepwell/sdk': `^${version}` } }
writeFileSync(manifest, `${JSON.stringify(pinned, null, 2)}\n`)
