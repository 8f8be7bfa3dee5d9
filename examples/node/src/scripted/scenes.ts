import { type Answers, type Question, resultText, type ToolResult } from '@stepwell/sdk'
import type { ScriptedReply } from '@stepwell/sdk/testing'

const NOTE = 'stepwell-demo.md'

const QUESTIONS: readonly Question[] = [
  {
    id: 'length',
    header: 'Length',
    question: 'How long shall the note be?',
    options: [
      { label: 'short', description: 'one line' },
      { label: 'long', description: 'a few lines' },
    ],
  },
  {
    id: 'topics',
    header: 'Topics',
    question: 'What shall it mention?',
    options: [{ label: 'the folder' }, { label: 'the first line' }, { label: 'the script' }],
    multiple: true,
  },
]

/** Each scene goes on after the results it has so far. */
type Scene = (results: readonly ToolResult[]) => ScriptedReply

/** Looks around, reads, asks, and offers to write. */
export const folderScene: Scene = (results) => {
  const list = resultOf(results, 'list_files')
  const read = resultOf(results, 'read_file')
  const asked = resultOf(results, 'ask_user')
  const wrote = resultOf(results, 'write_file')
  if (list === undefined) {
    return {
      reasoning: 'I am a script, so I know what I will do: look around, read a file, ask, and offer to write a note.',
      text: 'I am a scripted model, not a real one: this is a small scene about what Stepwell does. First I look at this folder.',
      calls: [{ name: 'list_files' }],
    }
  }
  const path = fileToRead(resultText(list))
  if (read === undefined && path !== undefined) {
    return { text: `There is a \`${path}\`. I read it.`, calls: [{ name: 'read_file', input: { path, lines: 40 } }] }
  }
  const first = firstLine(read)
  if (asked === undefined) {
    return {
      reasoning: 'How the note should be is for the person to say.',
      text: `${first === undefined ? 'There is nothing to read here.' : `It begins with “${first}”.`} Two questions before I go on.`,
      calls: [{ name: 'ask_user', inputText: JSON.stringify({ questions: QUESTIONS }) }],
    }
  }
  if (wrote === undefined) {
    return {
      reasoning: 'Writing changes something, so the person is asked first.',
      text: `Then I leave a note in \`${NOTE}\`, if I may.`,
      calls: [{ name: 'write_file', input: { path: NOTE, text: noteText(asked, list, first) } }],
    }
  }
  const happened = wrote.outcome === 'ok' ? `Done: \`${NOTE}\` is there.` : 'Then not; nothing was changed.'
  return {
    text: `${happened} I was told the outcome of ${results.length} calls. Say “run a command” to see one at work, or “make a plan”.`,
  }
}

/** Prints for a while. */
export const commandScene: Scene = ([ran]) => {
  if (ran === undefined) {
    const script =
      'let n = 0; const t = setInterval(() => { console.log("step", ++n); if (n === 5) clearInterval(t) }, 600)'
    return {
      text: 'This one takes three seconds and prints as it goes. Type while it works: Enter steers, Alt+Enter queues, Esc stops.',
      calls: [{ name: 'run_command', input: { command: `node -e '${script}'` } }],
    }
  }
  const [how = ''] = resultText(ran).split('\n')
  return { text: ran.outcome === 'ok' ? `It ended with ${how}.` : 'It did not run.' }
}

/** Hands in a plan until it is taken or dropped. */
export const planScene: Scene = (results) => {
  const last = results.at(-1)
  const isRevised = last !== undefined && resultText(last).startsWith('The plan was sent back')
  if (last === undefined || isRevised) {
    const steps = [
      '1. Read what is here.',
      '2. Leave a note.',
      ...results.map((_, at) => `${at + 3}. What you asked for.`),
    ]
    return {
      reasoning: 'A plan comes before larger work, and the person decides about it.',
      text: isRevised ? 'I have put that in.' : 'Here is what I would do.',
      calls: [{ name: 'submit_plan', input: { plan: steps.join('\n') } }],
    }
  }
  return { text: last.outcome === 'ok' ? 'Good. A real model would begin now.' : 'Then I leave it.' }
}

function noteText(asked: ToolResult, list: ToolResult, first: string | undefined): string {
  const { answers = {} } = asked.output as { readonly answers?: Answers }
  const topics: Readonly<Record<string, string>> = {
    'the folder': `This folder has ${resultText(list).split('\n').length} files.`,
    'the first line': `The first line is: ${first ?? 'missing'}`,
    'the script': 'Written by the scripted model of the Stepwell demo.',
  }
  const lines = (answers.topics ?? ['the script']).map((topic) => topics[topic] ?? topic)
  const isLong = answers.length?.includes('long') === true
  return isLong ? `# A note\n\n${lines.join('\n\n')}\n` : `${lines.join(' ')}\n`
}

function firstLine(read: ToolResult | undefined): string | undefined {
  if (read === undefined) return undefined
  const line = resultText(read)
    .split('\n')
    .find((each) => each.trim() !== '')
  return line?.slice(0, 80)
}

function resultOf(results: readonly ToolResult[], name: string): ToolResult | undefined {
  return results.findLast(({ toolName }) => toolName === name)
}

/** One that people would open first. */
function fileToRead(list: string): string | undefined {
  const files = list.split('\n').filter((line) => /\.(md|json|txt|ts|js|py)$/i.test(line))
  return files.find((file) => /^readme\.md$/i.test(file)) ?? files.find((file) => !file.includes('/')) ?? files[0]
}
