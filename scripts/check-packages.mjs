// Packs each built package and lints what a user would install: its manifest, its exports and its types.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packages, root, run } from './lib.mjs'

function isSound(name, dir) {
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', dir]
  if (run('npm', pack, { cwd: join(root, name) }) !== 0) return false
  const tarball = join(dir, readdirSync(dir)[0])
  const manifest = run('node_modules/publint/src/cli.js', ['run', tarball, '--strict'])
  const types = run('node_modules/@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only'])
  return manifest === 0 && types === 0
}

for (const name of packages) {
  const dir = mkdtempSync(join(tmpdir(), 'stepwell-pack-'))
  try {
    if (!isSound(name, dir)) process.exitCode = 1
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
