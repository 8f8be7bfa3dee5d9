import { type ToolCallProps, useApprovals, useQuestions } from '@stepwell/react'
import type { ToolCallPart } from '@stepwell/sdk'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Approval } from './approval.tsx'
import { Diff } from './diff.tsx'
import { durationText } from './format.ts'
import { Icon } from './icons.tsx'
import { LiveOutput } from './live-output.tsx'
import { QuestionForm } from './question-form.tsx'
import { ToolDetails } from './tool-details.tsx'
import { type CallStatus, callStatus, STATUS_WORDS, toolTitle } from './tool-words.ts'

/** A call, from its first letter to its result, with whatever a person is asked about it. */
export function ToolCard({ part, call }: ToolCallProps): ReactNode {
  const approval = useApprovals().approvals.find(({ request }) => request.callId === part.callId)
  const question = useQuestions().questions.find(({ request }) => request.callId === part.callId)
  const isAsked = approval !== undefined || question !== undefined
  const isRunning = call.live?.running === true
  const status = callStatus(part, isRunning, isAsked)
  const head = useKeptFocus(isAsked)
  const { result } = part
  // What changed stays in sight, as does what is going on. The rest is there for those who look.
  const isOpenByItself = status === 'waiting' || status === 'running' || result?.changes !== undefined
  const [isOpen, setIsOpen] = useState<boolean>()
  const isShown = isOpen ?? isOpenByItself
  const diff = result?.changes?.[0]?.diff ?? approval?.request.description?.diff
  const { verb, target } = toolTitle(part)
  return (
    <section className="tool" data-status={status} aria-label={target === undefined ? verb : `${verb} ${target}`}>
      <button
        ref={head}
        type="button"
        className="tool-head"
        aria-expanded={isShown}
        onClick={() => setIsOpen(!isShown)}
      >
        <Mark status={status} isQuestion={question !== undefined} />
        <span className="tool-title">
          <bdi>
            {verb} {target !== undefined && <code>{target}</code>}
          </bdi>
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
          {!isAsked && diff === undefined && !isRunning && <ToolDetails part={part} />}
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
