import { parseArgs } from 'node:util'

export type Arguments =
  | { readonly do: 'help' }
  | { readonly do: 'list'; readonly db: string }
  | {
      readonly do: 'chat'
      readonly db: string
      readonly session?: string
      readonly budget?: number
      readonly model: ModelArguments
    }
  | { readonly do: 'refuse'; readonly why: string }

export interface ModelArguments {
  readonly name?: string
  readonly baseURL?: string
}

export const DEFAULT_DB = '.stepwell/sessions.db'

export function parseArguments(argv: readonly string[]): Arguments {
  let values: ReturnType<typeof parse>
  try {
    values = parse(argv)
  } catch (thrown) {
    return refuse(thrown instanceof Error ? thrown.message : String(thrown))
  }
  const { help, list, db, session, model, budget, 'base-url': baseURL } = values
  if (help) return { do: 'help' }
  const blank = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '')
  if (blank) return refuse(`--${blank[0]} needs a value.`)
  if (list) return { do: 'list', db }
  if (baseURL !== undefined && !isHttp(baseURL)) {
    return refuse(`--base-url takes an address like http://127.0.0.1:8000/v1, not ${JSON.stringify(baseURL)}.`)
  }
  const dollars = budget === undefined ? undefined : Number(budget)
  if (dollars !== undefined && !(Number.isFinite(dollars) && dollars > 0)) {
    return refuse(`--budget takes an amount in US dollars like 0.50, not ${JSON.stringify(budget)}.`)
  }
  return {
    do: 'chat',
    db,
    ...(dollars !== undefined && { budget: dollars }),
    ...(session !== undefined && { session }),
    model: { ...(model !== undefined && { name: model }), ...(baseURL !== undefined && { baseURL }) },
  }
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      list: { type: 'boolean', default: false },
      db: { type: 'string', default: DEFAULT_DB },
      session: { type: 'string' },
      model: { type: 'string' },
      budget: { type: 'string' },
      'base-url': { type: 'string' },
    },
  }).values
}

function refuse(why: string): Arguments {
  return { do: 'refuse', why }
}

function isHttp(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}
