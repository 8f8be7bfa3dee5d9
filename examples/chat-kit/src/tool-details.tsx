import { resultText, type ToolCallPart } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { type Answered, answersOf } from './answers.ts'
import { wholeText } from './format.ts'
import { scrollable } from './scrollable.ts'
import { toolTitle } from './tool-words.ts'

/** What a call was given, as far as its title does not say so, and what came of it. */
export function ToolDetails({ part }: { readonly part: ToolCallPart }): ReactNode {
  const { toolName, input, inputText, result } = part
  if (result === undefined) return <pre className="terminal">{inputText ?? jsonText(input)}</pre>
  const answers = toolName === 'ask_user' ? answersOf(part) : undefined
  if (answers) return <Answers answers={answers} />
  const { text, omitted } = shortened(typeof result.output === 'string' ? resultText(result) : jsonText(result.output))
  return (
    <>
      {saysMore(part) && <pre className="terminal is-input">{jsonText(input)}</pre>}
      <pre className="terminal" dir="auto" {...scrollable}>
        {text}
      </pre>
      {omitted > 0 && <p className="tool-note">{wholeText(omitted)} lines in between are not shown.</p>}
      {result.truncatedTo !== undefined && (
        <p className="tool-note">
          The model was shown the first and last of it, {wholeText(result.truncatedTo)} characters in all.
        </p>
      )}
    </>
  )
}

function Answers({ answers }: { readonly answers: readonly Answered[] }): ReactNode {
  if (answers.length === 0) return <p className="tool-note">No answer was given.</p>
  return (
    <dl className="answers" dir="auto">
      {answers.map(({ id, question, words }) => (
        <div key={id}>
          <dt>{question}</dt>
          <dd>{words.join(', ')}</dd>
        </div>
      ))}
    </dl>
  )
}

function saysMore(part: ToolCallPart): boolean {
  const { toolName, input = {} } = part
  const inTitle = toolTitle(part).target === undefined ? 0 : 1
  return toolName !== 'ask_user' && Object.keys(input).length > inTitle
}

const LINES_SHOWN = 200

/** A page with a hundred thousand lines in it is slow for everybody, and read by nobody. */
function shortened(text: string): { readonly text: string; readonly omitted: number } {
  const lines = text.split('\n')
  const omitted = lines.length - LINES_SHOWN
  if (omitted <= 0) return { text, omitted: 0 }
  const half = LINES_SHOWN / 2
  return { text: [...lines.slice(0, half), '⋯', ...lines.slice(-half)].join('\n'), omitted }
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}
