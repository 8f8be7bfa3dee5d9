import { DEFAULT_DB } from './args.ts'
import { ENDINGS, EXIT_USAGE } from './endings.ts'

export const HELP = `A chat with an agent in your terminal. It works in the current folder, and asks before it changes anything.

  npm run demo                        a new session
  npm run demo -- --session ID        goes on with an earlier one
  echo "What is in here?" | npm run --silent demo
                                      runs once: the reply on stdout, everything else on stderr

  --model NAME      openai:NAME, responses:NAME, anthropic:NAME, or a bare NAME for the model that is found; scripted
                    for one that needs no model at all
  --base-url URL    any endpoint that speaks OpenAI's API, for instance http://127.0.0.1:8000/v1
  --session ID      the session to go on with
  --list            the sessions there are
  --db PATH         where sessions are kept (default ${DEFAULT_DB})
  --help

Without --model and --base-url: OPENAI_API_KEY, then ANTHROPIC_API_KEY, then a local Ollama or LM Studio, else the
scripted model.

Ctrl-C stops a run and keeps the session; at the empty prompt it leaves, as does Ctrl-D.

Exit codes of a piped run: ${Object.entries(ENDINGS)
  .map(([reason, { exitCode }]) => `${exitCode} ${reason}`)
  .join(', ')}; ${EXIT_USAGE} bad arguments.
`
