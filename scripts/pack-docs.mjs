// Before a package is packed: the guides go with it, for people without a network and for coding agents.
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib.mjs'

const to = process.cwd()
rmSync(join(to, 'docs'), { recursive: true, force: true })
cpSync(join(root, 'docs'), join(to, 'docs'), { recursive: true })
// Where `npm run docs:api` has made it.
if (existsSync(join(root, 'api'))) cpSync(join(root, 'api'), join(to, 'docs/api'), { recursive: true })
cpSync(join(root, 'llms.txt'), join(to, 'llms.txt'))
