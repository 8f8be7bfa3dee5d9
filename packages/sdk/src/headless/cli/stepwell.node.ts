#!/usr/bin/env node
import { createRequire } from 'node:module'
import { errorInfo } from '../../protocol/errors.ts'
import { EXIT_CODES } from '../result.ts'
import { readArguments } from './arguments.node.ts'
import { HELP } from './help.ts'
import { run } from './run.node.ts'
import { tell } from './streams.node.ts'

async function main(argv: readonly string[]): Promise<number> {
  const asked = readArguments(argv)
  if (asked.do === 'run') return run(asked.run)
  await tell(process.stdout, asked.do === 'help' ? HELP : `${version()}\n`)
  return EXIT_CODES.stop
}

function version(): string {
  const manifest = createRequire(import.meta.url)('@stepwell/sdk/package.json') as { version: string }
  return manifest.version
}

void main(process.argv.slice(2))
  .catch(async (thrown: unknown) => {
    const { message, code } = errorInfo(thrown)
    await tell(process.stderr, `${message} (${code})\nTry --help.\n`)
    return EXIT_CODES.invalid
  })
  // What an agent's module left open does not hold up the process.
  .then((code) => process.exit(code))
