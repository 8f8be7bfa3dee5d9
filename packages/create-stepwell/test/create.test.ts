import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Where the packed package was unpacked, and apps are made. */
let dir = ''
const create = (...args: string[]) => run('node', [join(dir, 'package/create.js'), ...args], { cwd: dir })

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stepwell-create-'))
  await run('node', [join(root, 'scripts/build.mjs')])
  await run('npm', ['pack', '--silent', '--pack-destination', dir], { cwd: join(root, 'packages/create-stepwell') })
  const tarball = (await readdir(dir)).find((file) => file.endsWith('.tgz'))
  await run('tar', ['-xzf', join(dir, tarball ?? ''), '-C', dir])
}, 120_000)

afterAll(() => rm(dir, { recursive: true, force: true }))

/** Says these lines to the app, and gives all it prints. */
async function say(app: string, lines: readonly string[]): Promise<string> {
  const { OPENAI_API_KEY: _openai, ANTHROPIC_API_KEY: _anthropic, ...env } = process.env
  const child = spawn('npm', ['start', '--silent'], { cwd: app, env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  return text(child.stdout)
}

test('makes an app that answers without a key, and goes on where it was left', async () => {
  const { stdout } = await create('My Agent')
  const app = join(dir, 'My Agent')
  expect(stdout).toContain('npm install\n  npm start')
  const { name, dependencies } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'))
  expect(name).toBe('my-agent')
  expect(dependencies['@stepwell/sdk']).toMatch(/^\^\d+\.\d+\.\d+$/)
  expect(await readFile(join(app, '.gitignore'), 'utf8')).toContain('node_modules/')

  await symlink(join(root, 'node_modules'), join(app, 'node_modules'))
  await run('npm', ['run', 'check'], { cwd: app })
  expect(await say(app, ['Roll a dice.'])).toMatch(/Say something\.[\s\S]*\[roll_dice\]\nI rolled the dice for you\./)
  expect(await say(app, [])).toContain('Going on where you left off.')
}, 60_000)

test('says what is wrong, and writes nothing', async () => {
  await expect(create('package')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  await expect(create()).rejects.toMatchObject({ code: 1, stderr: 'Usage: npm create stepwell <folder>\n' })
  await expect(create('--typescript', 'x')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Usage') })
  await expect(create('...')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('name of a package') })
  expect((await readdir(dir)).filter((file) => !file.endsWith('.tgz')).sort()).not.toContain('x')
})
