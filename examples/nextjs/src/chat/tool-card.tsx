'use client'
import { type ToolCallProps, useApprovals, useQuestions } from '@stepwell/react'
import { resultText, type ToolCallPart } from '@stepwell/sdk'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Approval } from './approval.tsx'
import { Diff } from './diff.tsx'
import { Icon } from './icons.tsx'
import { LiveOutput } from './live-output.tsx'
import { QuestionForm } from './question-form.tsx'
import { scrollable } from './scrollable.ts'
import { type CallStatus, callStatus, STATUS_WORDS, toolTitle } from './tool-words.ts'
import { durationText } from './words.ts'

/** A call, from its first letter to its result, with whatever a person is asked about it. */
export function ToolCard({ part, call }: ToolCallProps): ReactNode {
  const approval = useApprovals().approvals.find(({ request }) => request.callId === part.callId)
  const question = useQuestions().questions.find(({ request }) => request.callId === part.callId)
  const status = callStatus(part, call.live?.running === true, approval !== undefined || question !== undefined)
  const head = useKeptFocus(approval !== undefined || question !== undefined)
  const { result } = part
  // What changed stays in sight, as does what is going on. The rest is there for those who look.
  const isOpenByItself = status === 'waiting' || status === 'running' || result?.changes !== undefined
  const [isOpen, setIsOpen] = useState<boolean>()
  const isShown = isOpen ?? isOpenByItself
  const diff = result?.changes?.[0]?.diff ?? approval?.request.description?.diff
  return (
    <section className="tool" data-status={status} aria-label={toolTitle(part)}>
      <button
        ref={head}
        type="button"
        className="tool-head"
        aria-expanded={isShown}
        onClick={() => setIsOpen(!isShown)}
      >
        <Mark status={status} />
        <span className="tool-title" dir="auto">
          {toolTitle(part)}
        </span>
        <Changed part={part} />
        <span className="tool-status">{statusText(part, status)}</span>
        <Icon name="chevron" />
      </button>
      {isShown && (
        <div className="tool-body">
          {call.live && !result && <LiveOutput call={call.live} />}
          {diff !== undefined && <Diff text={diff} />}
          {approval && <Approval item={approval} />}
          {question && <QuestionForm item={question} />}
          {!approval && !question && diff === undefined && (
            <Details part={part} isRunning={call.live?.running === true} />
          )}
        </div>
      )}
    </section>
  )
}

/** Of what takes the focus when the buttons that were asked with are gone, and the focus with them. */
function useKeptFocus(isAsked: boolean): RefObject<HTMLButtonElement | null> {
  const target = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isAsked) return
    return () => {
      if (document.activeElement === document.body) target.current?.focus({ preventScroll: true })
    }
  }, [isAsked])
  return target
}

function statusText({ result, toolName }: ToolCallPart, status: CallStatus): string {
  if (result?.outcome !== 'ok') return STATUS_WORDS[status]
  // A person took that time.
  return toolName === 'ask_user' ? '' : durationText(result.durationMs)
}

function Mark({ status }: { readonly status: CallStatus }): ReactNode {
  if (status === 'running' || status === 'streaming') return <span className="spinner" aria-hidden="true" />
  if (status === 'waiting') return <Icon name="hand" />
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

function Details({ part, isRunning }: { readonly part: ToolCallPart; readonly isRunning: boolean }): ReactNode {
  const { input, inputText, result, toolName } = part
  const hasInput = toolName !== 'ask_user' && input !== undefined && Object.keys(input).length > 0
  if (result === undefined) {
    if (isRunning) return null
    return <pre className="tool-text">{inputText ?? JSON.stringify(input, null, 2)}</pre>
  }
  return (
    <>
      {hasInput && <pre className="tool-text is-input">{JSON.stringify(input, null, 2)}</pre>}
      <pre className="tool-text" dir="auto" {...scrollable}>
        {typeof result.output === 'string' ? resultText(result) : JSON.stringify(result.output, null, 2)}
      </pre>
    </>
  )
}
