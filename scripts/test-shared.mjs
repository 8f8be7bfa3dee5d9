// npm run test:shared -- DIRECTORY: runs the tests of shared material (recordings/ and cases/) kept in DIRECTORY.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, fail, install, run } from './lib.mjs'

const [given, ...rest] = process.argv.slice(2)
if (!given || given.startsWith('-')) fail('Which directory? Use: npm run test:shared -- ../shared')
const directory = resolve(given)
for (const needed of [directory, join(directory, 'recordings'), join(directory, 'cases')]) {
  if (!existsSync(needed)) fail(`There is no ${needed}: shared material is a directory with recordings/ and cases/`)
}

install()
build()
process.exit(
  run('node_modules/vitest/vitest.mjs', ['run', '--project', 'shared', ...rest], {
    env: { STEPWELL_SHARED: directory },
  }),
)
