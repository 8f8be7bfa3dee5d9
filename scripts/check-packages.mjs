// Packs each built package and lints what a user would install: its manifest, its exports and its types.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, packages, root, run } from './lib.mjs'

let code = 0
for (const name of packages) {
  const dir = mkdtempSync(join(tmpdir(), 'stepwell-pack-'))
  try {
    const packed = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', dir], {
      cwd: join(root, name),
    })
    if (packed !== 0) fail(`npm pack failed in ${name}`)
    const tarball = join(dir, readdirSync(dir)[0])
    code ||= run('node_modules/publint/src/cli.js', ['run', tarball, '--strict'])
    code ||= run('node_modules/@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only'])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
process.exit(code)
