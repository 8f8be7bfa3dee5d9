import { EXIT_CODES } from '../result.ts'

const codes = Object.entries(EXIT_CODES).map(([reason, code]) => `${code} ${reason}`)

export const HELP = `Runs an agent once, without a terminal: a prompt in, one result out.

  stepwell run [options] PROMPT...
  stepwell run [options] < prompt.txt
  git diff | stepwell run [options] Review this: -        "-" is where standard input goes

  --model NAME         the model to ask
  --provider NAME      openai (default: any endpoint that speaks Chat Completions), openai-responses, anthropic
  --base-url URL       another endpoint of that API, for instance http://127.0.0.1:11434/v1
  --key-env VARIABLE   the environment variable that holds the API key
  --agent FILE         a module that exports an agent, or a function of { model, store } that makes one

  --store FILE         keep the session in this SQLite database
  --session ID         go on with this session of the store, or begin it

  --input FORMAT       text (default), json or ndjson
  --output FORMAT      text (default): the reply. json: the result. ndjson: events, then the result.
                       With ndjson on both sides requests are answered on standard input; otherwise they are refused.

  --max-turns N        model calls the run may make
  --budget-usd AMOUNT  the most the run may cost
  --budget-tokens N    the most tokens the run may use

  --help, --version

Standard output carries the reply, the result or the events, and nothing else. Interrupting stops the run, and keeps its
session; doing so twice ends the process at once.

Exit codes: ${codes.slice(0, 7).join(', ')},
${codes.slice(7).join(', ')}.
`
