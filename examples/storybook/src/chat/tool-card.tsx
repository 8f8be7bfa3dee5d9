import { type ToolCallProps, useApprovals, useQuestions } from '@stepwell/react'
import { resultText, type ToolCallPart } from '@stepwell/sdk'
import { type ReactNode, useState } from 'react'
import { Approval } from './approval.tsx'
import { Diff } from './diff.tsx'
import { Icon } from './icons.tsx'
import { LiveOutput } from './live-output.tsx'
import { QuestionForm } from './question-form.tsx'
import { scrollable } from './scrollable.ts'
import { type CallStatus, callStatus, durationText, STATUS_WORDS, toolTitle } from './words.ts'

/** A call, from its first letter to its result, with whatever a person is asked about it. */
export function ToolCard({ part, call }: ToolCallProps): ReactNode {
  const approval = useApprovals().approvals.find(({ request }) => request.callId === part.callId)
  const question = useQuestions().questions.find(({ request }) => request.callId === part.callId)
  const isRunning = call.live?.running === true
  const status = callStatus(part, isRunning, approval !== undefined || question !== undefined)
  const { result } = part
  // What changed stays in sight, as does what is going on. The rest is there for those who look.
  const isOpenByItself = status === 'waiting' || status === 'running' || result?.changes !== undefined
  const [isOpen, setIsOpen] = useState<boolean>()
  const isShown = isOpen ?? isOpenByItself
  const diff = result?.changes?.[0]?.diff ?? approval?.request.description?.diff
  const { verb, target } = toolTitle(part)
  return (
    <section className="tool" data-status={status} aria-label={target === undefined ? verb : `${verb} ${target}`}>
      <button type="button" className="tool-head" aria-expanded={isShown} onClick={() => setIsOpen(!isShown)}>
        <Mark status={status} isQuestion={question !== undefined} />
        <span className="tool-title">
          {verb} {target !== undefined && <code>{target}</code>}
        </span>
        <Changed part={part} />
        <span className="tool-status">
          {result?.outcome === 'ok' ? durationText(result.durationMs) : STATUS_WORDS[status]}
        </span>
        <Icon name="chevron" />
      </button>
      {isShown && (
        <div className="tool-body">
          {call.live && !result && <LiveOutput call={call.live} />}
          {diff !== undefined && <Diff text={diff} />}
          {approval && <Approval item={approval} />}
          {question && <QuestionForm item={question} />}
          {!approval && !question && diff === undefined && !isRunning && <Details part={part} />}
        </div>
      )}
    </section>
  )
}

function Mark({ status, isQuestion }: { readonly status: CallStatus; readonly isQuestion: boolean }): ReactNode {
  if (status === 'running' || status === 'streaming') return <span className="spinner" aria-hidden="true" />
  if (status === 'waiting') return <Icon name={isQuestion ? 'question' : 'warn'} />
  if (status === 'ready') return <Icon name="clock" />
  return <Icon name={status === 'ok' ? 'check' : 'close'} />
}

function Changed({ part: { result } }: { readonly part: ToolCallPart }): ReactNode {
  const change = result?.changes?.[0]
  if (change?.added === undefined) return null
  return (
    <span className="changed">
      <ins>+{change.added}</ins> <del>−{change.removed ?? 0}</del>
    </span>
  )
}

function Details({ part: { input, inputText, result } }: { readonly part: ToolCallPart }): ReactNode {
  const { omitted, text } = shortened(result === undefined ? (inputText ?? jsonText(input)) : resultText(result))
  return (
    <>
      <pre className="terminal" dir="auto" {...scrollable}>
        {text}
      </pre>
      {omitted > 0 && <p className="tool-note">{omitted.toLocaleString('en')} lines in between are not shown.</p>}
      {result?.truncatedTo !== undefined && (
        <p className="tool-note">
          The model was shown the first and last of it, {result.truncatedTo.toLocaleString('en')} characters in all.
        </p>
      )}
    </>
  )
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
