import type { ReactNode } from 'react'
import { countText, durationText, moneyText, seqText } from './format.ts'
import { modelCalls } from './model-calls.ts'
import type { Place } from './place.ts'

/** What each model call used, up to this place. */
export function UsagePanel({ log, events, index, onChoose }: Place): ReactNode {
  const calls = modelCalls(events.slice(0, index + 1))
  const { total } = log.stateAfter(index + 1).usage
  if (calls.length === 0) return <p className="swd-hint">No model was called up to here.</p>
  return (
    <table className="swd-usage">
      <caption>
        {countText(total.requests)} calls{total.cost && `, ${moneyText(total.cost)}`}
        {total.incomplete && ', and what is not known'}
      </caption>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">Turn</th>
          <th scope="col">Input</th>
          <th scope="col">Cached</th>
          <th scope="col">Output</th>
          <th scope="col">Cost</th>
          <th scope="col">Time</th>
          <th scope="col">End</th>
        </tr>
      </thead>
      <tbody>
        {calls.map(({ index: at, start, usage, stop, durationMs }) => (
          <tr key={start.seq}>
            <td>
              <button type="button" title={start.model.model} onClick={() => onChoose(at)}>
                {seqText(start.seq)}
              </button>
            </td>
            <td>
              {start.turn}
              {start.attempt > 1 && ` (${start.attempt})`}
            </td>
            <td>
              {usage?.estimated && '≈'}
              {countText(usage?.inputTokens)}
            </td>
            <td>{countText(usage?.cacheReadTokens)}</td>
            <td>{countText(usage?.outputTokens)}</td>
            <td>{usage?.cost ? moneyText(usage.cost) : '–'}</td>
            <td>{durationMs === undefined ? '–' : durationText(durationMs)}</td>
            <td>{stop ?? 'under way'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
