import { useSessionSelector, useUsage } from '@stepwell/react'
import type { ReactNode } from 'react'
import { countText, moneyText, tokensText } from './format.ts'

/** What the session is called, what it cost, and how full the model's context is. */
export function Header({ start }: { readonly start: ReactNode }): ReactNode {
  const title = useSessionSelector(({ row }) => row.title)
  const { total, context } = useUsage()
  return (
    <header className="header">
      {start}
      <h1>
        <bdi>{title ?? 'New chat'}</bdi>
      </h1>
      {total.cost && (
        <span title={`${tokensText(total)} in ${total.requests} model calls`}>{moneyText(total.cost)}</span>
      )}
      {context?.window !== undefined && <Context used={context.used} window={context.window} />}
    </header>
  )
}

const RADIUS = 7
const ROUND = 2 * Math.PI * RADIUS
const NEARLY_FULL = 0.9

function Context({ used, window }: { readonly used: number; readonly window: number }): ReactNode {
  const share = Math.min(1, used / window)
  const label = `${countText(used)} of ${countText(window)} tokens of context used`
  return (
    <span className="context" data-full={share >= NEARLY_FULL} title={label}>
      <svg viewBox="0 0 18 18" role="img" aria-label={label}>
        <circle cx="9" cy="9" r={RADIUS} />
        <circle cx="9" cy="9" r={RADIUS} strokeDasharray={`${share * ROUND} ${ROUND}`} />
      </svg>
      <span>{Math.round(share * 100)} %</span>
    </span>
  )
}
