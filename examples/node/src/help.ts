import { EXIT_CODES } from '@stepwell/sdk/headless'
import { DEFAULT_DB } from './args.ts'

export const HELP = `A chat with an agent in your terminal. It works in the current folder, and asks before it changes anything.

  npm run demo                        a new session
  npm run demo -- --session ID        goes on with an earlier one
  echo "What is in here?" | npm run --silent demo
                                      runs once: the reply on stdout, everything else on stderr

  --model NAME      openai:NAME, responses:NAME, anthropic:NAME, or a bare NAME for the model that is found; scripted
                    for one that needs no model at all
  --base-url URL    any endpoint that speaks OpenAI's API, for instance http://127.0.0.1:8000/v1
  --session ID      the session to go on with
  --budget 0.50     the most the session may cost, in US dollars: a call that would exceed it is not made, nor one whose
                    model has no known price
  --list            the sessions there are
  --db PATH         where sessions are kept (default ${DEFAULT_DB})
  --help

Without --model and --base-url: OPENAI_API_KEY, then ANTHROPIC_API_KEY, then a local Ollama or LM Studio, else the
scripted model.

While it works, Enter steers it with what you type, Alt+Enter (or Ctrl-J) queues that for afterwards, and Esc stops it;
what it had not taken yet is put back at the prompt. Ctrl-C stops it too, and a second one leaves at once; at the empty
prompt Ctrl-C leaves, as does Ctrl-D. At a question Ctrl-D leaves and keeps the question open: --session asks it again.

What is always allowed is kept beside the sessions, in sessions.rules.json. A piped run is asked nothing: what would be
asked is denied.

Exit codes of a piped run: ${Object.entries(EXIT_CODES)
  .map(([reason, code]) => `${code} ${reason}`)
  .join(', ')}.
`
