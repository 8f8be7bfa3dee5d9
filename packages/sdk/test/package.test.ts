import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const names = ['@stepwell/sdk', '@stepwell/react'] as const

interface Manifest {
  exports: Record<string, string | { default: string }>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** An application with both packages installed from their tarballs. */
let app = ''
const manifests = new Map<string, Manifest>()
const files = new Map<string, string[]>()

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'stepwell-package-'))
  await run('node', [join(root, 'scripts/build.mjs')])
  for (const name of names) {
    const source = join(root, name.replace('@stepwell', 'packages'))
    const installed = join(app, 'node_modules', name)
    await mkdir(installed, { recursive: true })
    await run('npm', ['pack', '--silent', '--pack-destination', app], { cwd: source })
    const tarball = (await readdir(app)).find((file) => file.endsWith('.tgz'))
    if (!tarball) throw new Error(`npm pack left no tarball of ${name}`)
    await run('tar', ['-xzf', join(app, tarball), '-C', installed, '--strip-components=1'])
    await rm(join(app, tarball))

    const manifest: Manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    manifests.set(name, manifest)
    files.set(name, (await run('find', ['.', '-type', 'f'], { cwd: installed })).stdout.trim().split('\n'))
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      if (dependency.startsWith('@stepwell/')) continue
      const link = join(app, 'node_modules', dependency)
      await mkdir(dirname(link), { recursive: true })
      await symlink(join(root, 'node_modules', dependency), link)
    }
  }
}, 120_000)

afterAll(() => rm(app, { recursive: true, force: true }))

describe.each(names)('%s as it is published', (name) => {
  test('every subpath can be imported', async () => {
    const subpaths = Object.entries(manifests.get(name)?.exports ?? {}).filter(([, to]) => typeof to !== 'string')
    const imports = subpaths.map(([subpath]) => `await import('${name}${subpath.slice(1)}')`)
    expect(imports).not.toEqual([])
    await run('node', ['--input-type=module', '--eval', imports.join('\n')], { cwd: app })
  })

  test('holds its build, sources, guides, licence and manifest, and nothing else', () => {
    const allowed =
      /^\.\/(dist\/([^/]+\/)?[^/]+\.(js|d\.ts)(\.map)?|src\/.+\.tsx?|docs\/.+\.md|LICENSE|README\.md|CHANGELOG\.md|llms\.txt|package\.json)$/
    const tests = /\.(test|shared)\.tsx?$|\/test\//
    expect(files.get(name)?.filter((file) => !allowed.test(file) || tests.test(file))).toEqual([])
  })

  test('brings the guides, and names each of them to whoever reads llms.txt', async () => {
    const index = await readFile(join(app, 'node_modules', name, 'llms.txt'), 'utf8')
    const guides = files.get(name)?.filter((file) => /^\.\/docs\/[^/]+\.md$/.test(file) && !file.endsWith('README.md'))
    expect(guides).toContain('./docs/quickstart.md')
    expect(guides?.filter((file) => !index.includes(`](${file.slice(2)})`))).toEqual([])
  })

  test('says on its page what it is and how to begin', async () => {
    const page = await readFile(join(app, 'node_modules', name, 'README.md'), 'utf8')
    expect(page).toContain(`# ${name}\n`)
    expect(page).toContain(`npm install ${name} `)
  })

  test('every file its manifest names is there', () => {
    const { exports } = manifests.get(name) as Manifest
    const named = Object.values(exports).flatMap((to) => (typeof to === 'string' ? [to] : Object.values(to)))
    expect(named.filter((file) => !files.get(name)?.includes(file))).toEqual([])
  })
})

test('the core needs no optional package', async () => {
  const optional = Object.keys(manifests.get('@stepwell/sdk')?.peerDependenciesMeta ?? {})
  for (const peer of optional) await rm(join(app, 'node_modules', peer))
  const subpaths = [
    '',
    '/openai',
    '/openai-responses',
    '/anthropic',
    '/ai-sdk',
    '/indexeddb',
    '/client',
    '/headless',
    '/view',
  ]
  const imports = subpaths.map((subpath) => `await import('@stepwell/sdk${subpath}')`)
  await run('node', ['--input-type=module', '--eval', imports.join('\n')], { cwd: app })
})
