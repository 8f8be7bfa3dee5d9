import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Agent, createAgent } from '../../agent/create-agent.ts'
import { budget } from '../../budget/index.ts'
import { ConfigError, thrownText } from '../../protocol/errors.ts'
import type { ModelProvider } from '../../providers/provider.ts'
import type { SessionStore } from '../../stores/store.ts'
import type { AgentSetup } from '../setup.ts'
import type { RunArguments } from './arguments.node.ts'
import { modelFor } from './model.node.ts'

/** The agent that was asked for. Rejects with a `ConfigError`, or with why the store cannot be opened. */
export async function agentFor({ model: asked, agent: file, store: path, dollars }: RunArguments): Promise<Agent> {
  const exported = file === undefined ? undefined : await exportedAgent(file)
  if (typeof exported === 'object') {
    const flag = asked ? '--model' : path !== undefined ? '--store' : undefined
    if (flag === undefined) return exported
    const message = `${file} exports an agent that has its own. To take ${flag}, export a function of { model, store } that makes it.`
    throw new ConfigError('config.invalid', message)
  }
  const model = asked && (await modelFor(asked))
  const store = path === undefined ? undefined : await openStore(path)
  const setup: AgentSetup = { ...(model && { model }), ...(store && { store }) }
  if (exported) return checked(await exported(setup), `The function that ${file} exports gives no agent.`)
  // Without a module there is a model: the arguments were checked.
  const alone = model as ModelProvider
  if (dollars !== undefined && alone.capabilities.pricing === undefined) throw unpriced(alone)
  return createAgent({ ...setup, model: alone, budget: budget([]) })
}

function unpriced({ model }: ModelProvider): ConfigError {
  const message = `--budget-usd: what ${model} costs is not known. The package @pydantic/genai-prices has the prices of vendors; a model at a --base-url has none. Limit it by --budget-tokens N.`
  return new ConfigError('config.invalid', message)
}

type AgentFactory = (setup: AgentSetup) => unknown

async function exportedAgent(file: string): Promise<Agent | AgentFactory> {
  const module = await load(resolve(file))
  // What is taken for CommonJS, as TypeScript is in a package of no type, has its exports inside.
  const exports = isCommonJs(module.default) ? module.default : module
  const found = exports.default ?? exports.agent
  if (typeof found === 'function') return found as AgentFactory
  return checked(found, `${file} exports no agent: neither by default nor as "agent".`)
}

/** It may come from another copy of this package, so it is known by what it can do. */
function checked(value: unknown, otherwise: string): Agent {
  const isAgent = typeof value === 'object' && value !== null && 'session' in value && 'close' in value
  if (!isAgent) throw new ConfigError('config.invalid', otherwise)
  return value as Agent
}

function isCommonJs(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && '__esModule' in value
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    if (/\.[cm]?tsx?$/.test(path) && !Reflect.get(process.features, 'typescript')) await readTypeScript(path)
    return await import(pathToFileURL(path).href)
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw thrown
    throw new ConfigError('config.invalid', `${path} could not be loaded: ${thrownText(thrown)}`, { cause: thrown })
  }
}

/** Nodes before 22.18 cannot read TypeScript themselves: the project's `tsx` does. */
async function readTypeScript(path: string): Promise<void> {
  let tsx: string
  try {
    tsx = createRequire(path).resolve('tsx')
  } catch (thrown) {
    const message = `Node ${process.versions.node} cannot read ${path}. Install tsx, compile it, or use Node 22.18 or newer.`
    throw new ConfigError('config.invalid', message, { cause: thrown })
  }
  // It registers itself.
  await import(pathToFileURL(tsx).href)
}

async function openStore(path: string): Promise<SessionStore> {
  const { sqliteStore } = await import('../../stores/sqlite/index.ts')
  return sqliteStore(path)
}
