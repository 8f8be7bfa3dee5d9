#!/usr/bin/env node
// npm create stepwell my-agent: copies the template into a new folder and says what to do next.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = 'Usage: npm create stepwell <folder>'

const target = folder()
const dir = resolve(target)
const name = basename(dir)
  .toLowerCase()
  .replace(/[^a-z0-9._-]+/g, '-')
  .replace(/^[._-]+/, '')
if (name === '') stop(`"${target}" cannot be the name of a package. Use letters and digits.`)
if (existsSync(dir) && readdirSync(dir).length > 0) stop(`${dir} exists and is not empty. Nothing was written.`)

cpSync(new URL('template', import.meta.url), dir, { recursive: true })
renameSync(join(dir, '_gitignore'), join(dir, '.gitignore'))
const manifest = join(dir, 'package.json')
writeFileSync(manifest, `${JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), name }, null, 2)}\n`)

console.log(`${dir} is ready. Next:

  cd ${target}
  npm install
  npm start

It answers from a script until it finds OPENAI_API_KEY or ANTHROPIC_API_KEY.`)

function folder() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) {
      console.log(USAGE)
      process.exit()
    }
    if (positionals.length === 1) return positionals[0]
  } catch (thrown) {
    stop(`${thrown.message}\n${USAGE}`)
  }
  stop(USAGE)
}

function stop(message) {
  console.error(message)
  process.exit(1)
}
