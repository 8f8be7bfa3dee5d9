import { useApprovals } from '@stepwell/react'
import type { ApprovalExit, PlanExit } from '@stepwell/sdk'
import type { RequestItem } from '@stepwell/sdk/view'
import { type ReactNode, useState } from 'react'
import { focused } from './focused.ts'

type Decision = ApprovalExit | PlanExit

const WORDS: Readonly<Record<Decision, string>> = {
  'allow-once': 'Allow',
  'allow-session': 'Allow in this chat',
  'allow-always': 'Always allow',
  deny: 'Deny',
  approve: 'Approve',
  revise: 'Revise',
  reject: 'Reject',
}

/** The ones that need no thought of what else they allow. */
const MAIN: readonly Decision[] = ['allow-once', 'approve']
const REFUSALS: readonly Decision[] = ['deny', 'revise', 'reject']

/** What is asked, and the ways to answer it. */
export function Approval({ item }: { readonly item: RequestItem }): ReactNode {
  const { getApprovalProps, getDecisionProps } = useApprovals()
  const { labelId, ...props } = getApprovalProps(item)
  const [refusal, setRefusal] = useState<Decision>()
  const { request, status, error } = item
  const title = request.description?.title ?? request.tool?.name
  return (
    <div {...props} className="approval" dir="auto">
      <p id={labelId} className="asked">
        <strong>{title}?</strong>
        {request.reason && <span>{request.reason}</span>}
      </p>
      {request.description?.command && (
        <pre className="terminal" dir="ltr">
          {request.description.command}
        </pre>
      )}
      {refusal === undefined ? (
        <div className="decisions">
          {(request.options ?? []).map((decision) =>
            REFUSALS.includes(decision) ? (
              <button
                key={decision}
                type="button"
                className="button"
                disabled={status === 'answering'}
                onClick={() => setRefusal(decision)}
              >
                {WORDS[decision]}
              </button>
            ) : (
              <button
                key={decision}
                {...getDecisionProps(item, decision, {
                  className: MAIN.includes(decision) ? 'button main' : 'button',
                  title: ruleText(decision, request.suggestedRule),
                })}
              >
                {WORDS[decision]}
              </button>
            ),
          )}
        </div>
      ) : (
        <Refusal item={item} decision={refusal} onBack={() => setRefusal(undefined)} />
      )}
      {error && (
        <p className="failed" role="alert">
          {error.message}
        </p>
      )}
    </div>
  )
}

function ruleText(decision: Decision, rule: string | undefined): string | undefined {
  const isRule = decision === 'allow-session' || decision === 'allow-always'
  return isRule && rule !== undefined ? `Rule: ${rule}` : undefined
}

interface RefusalProps {
  readonly item: RequestItem
  readonly decision: Decision
  onBack(): void
}

/** Why it is refused goes to the model. */
function Refusal({ item, decision, onBack }: RefusalProps): ReactNode {
  const { decide } = useApprovals()
  const [note, setNote] = useState('')
  return (
    <form
      className="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        void decide(item.request.id, decision, note.trim() === '' ? {} : { note: note.trim() })
      }}
    >
      <input
        className="field"
        aria-label="What to do instead"
        placeholder="What to do instead? (optional)"
        dir="auto"
        value={note}
        ref={focused}
        onChange={({ target }) => setNote(target.value)}
      />
      <button type="submit" className="button danger" disabled={item.status === 'answering'}>
        {WORDS[decision]}
      </button>
      <button type="button" className="button quiet" onClick={onBack}>
        Back
      </button>
    </form>
  )
}
