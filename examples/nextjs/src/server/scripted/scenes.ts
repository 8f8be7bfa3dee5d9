import { type Answers, ProviderError, type Question, type ToolResult } from '@stepwell/sdk'
import type { ScriptedReply } from '@stepwell/sdk/testing'
import { ARABIC, LONG } from './texts.ts'

/** Each scene goes on after the results it has so far. */
type Scene = (results: readonly ToolResult[]) => ScriptedReply

/** What to play for a message. */
export function sceneOf(told: string): Scene {
  if (/[\u0590-\u06ff]/.test(told)) return () => ({ text: ARABIC })
  if (/\b(fix|test|bug|repair|check)/i.test(told)) return fixScene
  if (/\b(ask|question|plan|choose)/i.test(told)) return askScene
  if (/\b(long|explain|write|story|essay)/i.test(told)) return () => ({ reasoning: THOUGHT, text: LONG })
  if (/\b(fail|error|crash)/i.test(told)) return () => ({ text: 'This one breaks off in the', error: REFUSED })
  if (/\b(limit|cut)/i.test(told))
    return () => ({ text: 'This reply is cut at the length limit, in the middle of a', stop: 'length' })
  return () => ({ text: HELP })
}

const THOUGHT =
  'They want the whole picture, so I begin with the idea, show a little code, compare the ways of doing it in a table, and end with what to try next.'

const REFUSED = new ProviderError('provider.auth', 'The provider refused the key (as the script wants it).')

const HELP = `I am a **scripted model**: no key is set, so I play small scenes. What you see around me is real. Try one of these:

- “Fix the failing test”: reads, an edit that waits for you, checks with live output
- “Ask me something”: questions in the conversation
- “Write something long”: enough to stop, steer or reload in the middle
- “Fail, please” and “Hit the limit”: how a run can end`

const FIX = {
  path: 'src/cart.ts',
  oldText: '  const sum = items.reduce((all, item) => all + item.price, 0)\n',
  newText: '  const sum = items.reduce((all, item) => all + item.price * item.count, 0)\n',
}

/** Reads, proposes a change, checks it. */
const fixScene: Scene = (results) => {
  const edit = results.find(({ toolName }) => toolName === 'edit_file')
  const checks = results.find(({ toolName }) => toolName === 'run_checks')
  if (results.length === 0) {
    return {
      reasoning:
        'A test fails and I have not seen the code. Reading changes nothing, so I read the sums and their tests at once, before I say anything about them.',
      text: 'I look at the cart and its tests first.',
      calls: [
        { name: 'read_file', input: { path: 'src/cart.ts' } },
        { name: 'read_file', input: { path: 'src/cart.test.ts' } },
      ],
    }
  }
  if (edit === undefined) {
    return {
      reasoning: 'Two teas should cost 900, and the sum never looks at the count. One line.',
      text: 'There it is: `total` adds each **price** once and never looks at the **count**.\n\n```ts\nconst sum = items.reduce((all, item) => all + item.price, 0)\n//                                              ^ one tea, however many\n```\n\nThis is the change I would make:',
      calls: [{ name: 'edit_file', input: FIX }],
    }
  }
  if (edit.outcome === 'denied') return { text: 'Then I leave the file as it is. Tell me what you would rather have.' }
  if (checks === undefined) {
    return {
      text: edit.outcome === 'ok' ? 'Changed. Now the checks.' : 'It is changed already. I run the checks.',
      calls: [{ name: 'run_checks' }],
    }
  }
  return checks.outcome === 'ok' ? { text: FIXED } : { text: 'The checks did not come to their end.' }
}

const FIXED = `All checks pass.

| cart | before | now |
| --- | ---: | ---: |
| nothing | 0 | 0 |
| one tea | 450 | 450 |
| two teas | 450 | **900** |

The change is one line in \`src/cart.ts\`; the discount is taken from the new sum, so it needed nothing.`

const QUESTIONS: readonly Question[] = [
  {
    id: 'style',
    header: 'Style',
    question: 'How shall the page look?',
    options: [
      { label: 'Quiet', description: 'much white, one colour' },
      { label: 'Bold', description: 'large type, strong colours' },
      { label: 'Dense', description: 'much on a screen' },
    ],
  },
  {
    id: 'parts',
    header: 'Parts',
    question: 'What belongs on it?',
    options: [{ label: 'Search' }, { label: 'Cart' }, { label: 'Reviews' }],
    multiple: true,
  },
]

/** Asks two questions and makes something of the answers. */
const askScene: Scene = ([asked]) => {
  if (asked === undefined) {
    return {
      text: 'Two things only you can decide:',
      calls: [{ name: 'ask_user', inputText: JSON.stringify({ questions: QUESTIONS }) }],
    }
  }
  const { answers = {} } = asked.output as { readonly answers?: Answers }
  const chosen = Object.values(answers).flat()
  return {
    text:
      chosen.length === 0
        ? 'You left it to me: quiet, with a search and a cart.'
        : `So it is: ${chosen.map((word) => `**${word}**`).join(', ')}.`,
  }
}
