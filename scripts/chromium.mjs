// The browser that some tests run in. As a program it prints where it is, or says how to get one.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { fail } from './lib.mjs'

const PACKAGE = 'chromium-headless-shell'
const NAMES = [PACKAGE, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe']
const OUTSIDE_PATH = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  join(env.PROGRAMFILES ?? '', 'Google/Chrome/Application/chrome.exe'),
]
const ADVICE =
  `Tests in a browser need Chromium or Chrome, and none was found. On Debian: apt-get install ${PACKAGE}. ` +
  'Elsewhere install one and set STEPWELL_CHROMIUM to its executable.'

/** Installs it where Debian's packages can be had. Without it the rest is still worth running: those tests fail. */
export function installChromium() {
  if (findChromium()) return
  if (!env.STEPWELL_CHROMIUM && process.getuid?.() === 0 && onPath(['apt-get'])) {
    const apt = ['-qq', '-o', 'DPkg::Lock::Timeout=300']
    const options = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }
    spawnSync('apt-get', [...apt, 'update'], options)
    spawnSync('apt-get', [...apt, 'install', '-y', '--no-install-recommends', PACKAGE], options)
  }
  if (!findChromium()) console.error(`${ADVICE} Until then those tests fail.`)
}

function findChromium() {
  if (env.STEPWELL_CHROMIUM) return existsSync(env.STEPWELL_CHROMIUM) ? env.STEPWELL_CHROMIUM : undefined
  return onPath(NAMES) ?? OUTSIDE_PATH.find((file) => existsSync(file))
}

function onPath(names) {
  const folders = (env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}

if (argv[1] && resolve(argv[1]) === fileURLToPath(import.meta.url)) console.log(findChromium() ?? fail(ADVICE))
