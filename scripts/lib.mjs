// What the scripts share. Node's own modules only: this runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** In the order they are built: react's types are read from sdk's build. */
export const packages = ['packages/sdk', 'packages/react']

/** Runs a program of node's (a path below the root, or "npm") with this terminal, and returns its exit code. */
export function run(program, args = [], { cwd = root, env = {} } = {}) {
  const [command, first] = program === 'npm' ? npm() : [process.execPath, [join(root, program)]]
  const result = spawnSync(command, [...first, ...args], { cwd, env: { ...process.env, ...env }, stdio: 'inherit' })
  if (result.error) console.error(result.error.message)
  return result.status ?? 1
}

/** Runs npm without a terminal and resolves to its exit code and everything it printed. */
export function runNpmQuietly(args) {
  const [command, first] = npm()
  return new Promise((resolve) => {
    const child = spawn(command, [...first, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Installs what the lock file says in `dir`, unless that is what is installed there. */
export function install(dir = root) {
  if (!withLock('install', () => installed(dir) || installNow(dir))) fail(`npm ci failed in ${dir}`)
}

/** Builds the packages whose sources have changed since they were built. */
export function build({ force = false } = {}) {
  const built = withLock('build', () => {
    let hash = ''
    for (const name of packages) {
      hash = sourceHash(name, hash)
      if (!buildOnce(name, { hash, outputs: builtFiles(name), force }, () => buildNow(join(root, name)))) return false
    }
    return true
  })
  if (!built) fail('the build failed')
}

/**
 * Builds what is made of the packages and of these files and folders, unless that was done already. The output is a file
 * that the build makes.
 */
export function buildExample(name, { inputs, output }, work) {
  const built = withLock(fileName(name), () => {
    const seed = packages.reduce((hash, each) => sourceHash(each, hash), '')
    const hash = hashOf(
      inputs.flatMap((input) => filesOf(join(root, input))),
      seed,
    )
    return buildOnce(name, { hash, outputs: [join(root, output)] }, work)
  })
  if (!built) fail(`the build of ${name} failed`)
}

/** Whether there is a build of what has this hash: there was one, or `work` made it. */
function buildOnce(name, { hash, outputs, force = false }, work) {
  const stamp = join(root, 'node_modules/.cache/stepwell', `${fileName(name)}.built`)
  if (!force && readOr(stamp) === hash && outputs.every((file) => existsSync(file))) return true
  rmSync(stamp, { force: true })
  console.error(`Building ${name}.`)
  if (!work()) return false
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, hash)
  return true
}

/** Bundled by tsdown; or file by file by tsc, where every file says for itself that it is for the client. */
function buildNow(cwd) {
  if (!existsSync(join(cwd, 'tsconfig.build.json'))) {
    return run('node_modules/tsdown/dist/run.mjs', ['--logLevel', 'error'], { cwd }) === 0
  }
  rmSync(join(cwd, 'dist'), { recursive: true, force: true })
  return run('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json'], { cwd }) === 0
}

export function fail(message) {
  console.error(message)
  process.exit(1)
}

function npm() {
  const cli = process.env.npm_execpath
  return cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []]
}

function installed(dir) {
  const lock = join(dir, 'package-lock.json')
  const record = join(dir, 'node_modules/.package-lock.json')
  if (!existsSync(lock) || !existsSync(record)) return false
  if (readOr(join(dir, 'node_modules/.stepwell-lock')) === sha256(readFileSync(lock))) return true
  // No stamp of ours for this lock: npm itself wrote its record after it, if somebody installed by hand.
  return statSync(record).mtimeMs + 2000 >= statSync(lock).mtimeMs
}

function installNow(dir) {
  const env = {}
  // better-sqlite3 is compiled where no ready binary can be fetched; this saves it from fetching node's headers.
  if (existsSync('/usr/include/node/node.h') && !process.env.npm_config_nodedir) env.npm_config_nodedir = '/usr'
  console.error(`Installing the packages of ${join(dir, 'package-lock.json')}: the first time takes some minutes.`)
  if (run('npm', ['ci', '--include=dev'], { cwd: dir, env }) !== 0) return false
  writeFileSync(join(dir, 'node_modules/.stepwell-lock'), sha256(readFileSync(join(dir, 'package-lock.json'))))
  return true
}

function fileName(name) {
  return name.replace('/', '-')
}

function sourceHash(name, seed) {
  const dir = join(root, name)
  const files = filesOf(join(dir, 'src')).filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  const configs = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'tsdown.config.ts'].map((file) =>
    join(dir, file),
  )
  const shared = ['tsconfig.base.json', 'package-lock.json'].map((file) => join(root, file))
  return hashOf([...files, ...configs, ...shared], seed)
}

function hashOf(files, seed) {
  const hash = createHash('sha256').update(seed)
  for (const file of files) hash.update(`\0${file}\0`).update(readOr(file))
  return hash.digest('hex')
}

/** A file itself, or all that are in a folder. */
function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path]
  const found = readdirSync(path, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function builtFiles(name) {
  const { exports } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
  return Object.values(exports)
    .filter((subpath) => typeof subpath !== 'string')
    .flatMap((subpath) => [subpath.types, subpath.default])
    .map((file) => join(root, name, file))
}

/** One install and one build at a time in this clone, however many terminals ask for one. */
function withLock(name, work) {
  const file = join(tmpdir(), `stepwell-${sha256(root).slice(0, 12)}-${name}.lock`)
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (isAlive(Number(readOr(file)))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      else rmSync(file, { force: true })
    }
  }
  try {
    return work()
  } finally {
    rmSync(file, { force: true })
  }
}

function isAlive(pid) {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readOr(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}
