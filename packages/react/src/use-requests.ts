'use client'
import type { Answers, ApprovalExit, PlanExit, Receipt, Resolution } from '@stepwell/sdk'
import type { RequestItem } from '@stepwell/sdk/view'
import { type ComponentProps, useId, useMemo } from 'react'
import { afterOwn } from './merge-props.ts'
import { useView } from './scope.ts'
import { useCell } from './use-cell.ts'

type Decision = ApprovalExit | PlanExit

export interface Approvals {
  /** The open approvals and plans, oldest first, each with what became of the last answer. */
  readonly approvals: readonly RequestItem[]
  /** Answers one. The first answer wins: a late one is refused, and harms nobody. */
  decide(requestId: string, decision: Decision, rest?: Omit<Resolution, 'decision'>): Promise<Receipt>
  /** Of the element around one approval. `labelId` is the id that its title has to have. */
  getApprovalProps(item: RequestItem): ComponentProps<'div'> & { readonly labelId: string }
  getDecisionProps(item: RequestItem, decision: Decision, own?: ComponentProps<'button'>): ComponentProps<'button'>
}

/** What waits for a decision. */
export function useApprovals(): Approvals {
  const { resolve } = useView()
  const requests = useRequests()
  const prefix = useId()
  return useMemo(() => {
    const decide: Approvals['decide'] = (requestId, decision, rest) => resolve(requestId, { ...rest, decision })
    return {
      approvals: requests.filter(({ request }) => request.kind === 'approval' || request.kind === 'plan'),
      decide,
      getApprovalProps(item) {
        const labelId = `${prefix}-${item.request.id}`
        return { role: 'group', 'aria-labelledby': labelId, 'aria-busy': item.status === 'answering', labelId }
      },
      getDecisionProps: ({ request, status }, decision, own = {}) => ({
        type: 'button',
        ...own,
        disabled: own.disabled === true || status === 'answering',
        onClick: afterOwn(own.onClick, () => void decide(request.id, decision)),
      }),
    }
  }, [requests, resolve, prefix])
}

export interface Questions {
  /** The open questions, oldest first, each with what became of the last answer. */
  readonly questions: readonly RequestItem[]
  /** Answers are keyed by question id: labels of options, text, or both. */
  answer(requestId: string, answers: Answers): Promise<Receipt>
  /** Lets the model go on without. */
  skip(requestId: string): Promise<Receipt>
}

/** What waits for an answer. */
export function useQuestions(): Questions {
  const { resolve } = useView()
  const requests = useRequests()
  return useMemo(
    () => ({
      questions: requests.filter(({ request }) => request.kind === 'question'),
      answer: (requestId, answers) => resolve(requestId, { answers }),
      skip: (requestId) => resolve(requestId, { answers: {}, skipped: true }),
    }),
    [requests, resolve],
  )
}

function useRequests(): readonly RequestItem[] {
  return useCell('requests', (view) => view.getSnapshot().requests)
}
