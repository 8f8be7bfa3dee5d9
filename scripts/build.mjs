// Builds the packages that are stale; all of them with --force.
import { build } from './lib.mjs'

build({ force: process.argv.includes('--force') })
