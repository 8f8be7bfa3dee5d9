'use client'
import { useApprovals } from '@stepwell/react'
import type { ApprovalExit, PlanExit } from '@stepwell/sdk'
import type { RequestItem } from '@stepwell/sdk/view'
import { type ReactNode, useState } from 'react'

const WORDS: Readonly<Record<ApprovalExit | PlanExit, string>> = {
  'allow-once': 'Allow',
  'allow-session': 'Allow in this chat',
  'allow-always': 'Always allow',
  deny: 'Deny',
  approve: 'Approve',
  revise: 'Revise',
  reject: 'Reject',
}

/** The ones that need no thought of what else they allow. */
const MAIN: readonly string[] = ['allow-once', 'approve']
const REFUSALS: readonly string[] = ['deny', 'revise', 'reject']

/** What is asked, and the ways to answer it. Why it is refused goes to the model. */
export function Approval({ item }: { readonly item: RequestItem }): ReactNode {
  const { decide, getApprovalProps, getDecisionProps } = useApprovals()
  const { labelId, ...props } = getApprovalProps(item)
  const [refusal, setRefusal] = useState<ApprovalExit | PlanExit>()
  const [note, setNote] = useState('')
  const { request, error } = item
  return (
    <div {...props} className="approval">
      <p id={labelId} title={request.reason}>
        <strong>{request.description?.title ?? request.tool?.name}?</strong>
      </p>
      {request.description?.command && <pre className="tool-text">{request.description.command}</pre>}
      {refusal === undefined ? (
        <div className="decisions">
          {(request.options ?? []).map((decision) => {
            const own = REFUSALS.includes(decision) ? { onClick: () => setRefusal(decision) } : {}
            const button = { className: MAIN.includes(decision) ? 'button main' : 'button', ...ruleTitle(decision) }
            return REFUSALS.includes(decision) ? (
              <button key={decision} type="button" {...button} {...own} disabled={item.status === 'answering'}>
                {WORDS[decision]}
              </button>
            ) : (
              <button key={decision} {...getDecisionProps(item, decision, button)}>
                {WORDS[decision]}
              </button>
            )
          })}
        </div>
      ) : (
        <form
          className="refusal"
          onSubmit={(event) => {
            event.preventDefault()
            void decide(request.id, refusal, note.trim() === '' ? {} : { note: note.trim() })
          }}
        >
          <input
            aria-label="What to do instead"
            placeholder="What to do instead? (optional)"
            dir="auto"
            value={note}
            ref={(field) => field?.focus()}
            onChange={({ target }) => setNote(target.value)}
          />
          <button type="submit" className="button danger" disabled={item.status === 'answering'}>
            {WORDS[refusal]}
          </button>
          <button type="button" className="button quiet" onClick={() => setRefusal(undefined)}>
            Back
          </button>
        </form>
      )}
      {error && (
        <p className="failed" role="alert">
          {error.message}
        </p>
      )}
    </div>
  )

  function ruleTitle(decision: ApprovalExit | PlanExit): { title?: string } {
    const isRule = decision === 'allow-session' || decision === 'allow-always'
    return isRule && request.suggestedRule !== undefined ? { title: `Rule: ${request.suggestedRule}` } : {}
  }
}
