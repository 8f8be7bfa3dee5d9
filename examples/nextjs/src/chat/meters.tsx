'use client'
import { useUsage } from '@stepwell/react'
import type { ReactNode } from 'react'
import { countText, moneyText, tokensText } from './words.ts'

/** What the session cost, and how full the model's context is. */
export function Meters(): ReactNode {
  const { total, context } = useUsage()
  if (total.requests === 0) return null
  const share = context?.window === undefined ? undefined : Math.min(1, context.used / context.window)
  return (
    <div className="meters">
      {total.cost && (
        <span className="meter" title={`${tokensText(total)} in ${total.requests} model calls`}>
          {moneyText(total.cost)}
        </span>
      )}
      {context && share !== undefined && (
        <span
          className="meter"
          title={`${countText(context.used)} of ${countText(context.window ?? 0)} tokens of context`}
        >
          <meter aria-label="Context used" min={0} max={1} high={0.8} value={share} />
          {Math.round(share * 100)} %
        </span>
      )}
    </div>
  )
}
