import type { Attributes } from '@opentelemetry/api'
import type { AgentEvent } from '../protocol/events.ts'

/** What of an event is told on a span where that is wanted: ids and codes, never words. */
export function spanEvent(event: AgentEvent): { readonly name: string; readonly attributes: Attributes } | undefined {
  switch (event.type) {
    case 'input':
      return told('input', { lane: event.lane })
    case 'abort':
      return told('abort')
    case 'request': {
      const { id, kind, tool } = event.request
      return told('request', { id, kind, ...(tool && { tool: tool.name }) })
    }
    case 'request-resolved': {
      const { requestId: id, reason, resolution } = event
      return told('request_resolved', { id, reason, ...(resolution.decision && { decision: resolution.decision }) })
    }
    case 'notice':
      return told('notice', { code: event.code })
    case 'compaction':
      return told('compaction', { trigger: event.trigger, method: event.method })
    case 'activity':
      return event.activity?.kind === 'retrying'
        ? told('retrying', { attempt: event.activity.attempt, delay_ms: event.activity.delayMs })
        : undefined
    default:
      return undefined
  }
}

function told(name: string, attributes: Attributes = {}) {
  const named = Object.entries(attributes).map(([key, value]) => [`stepwell.${name}.${key}`, value])
  return { name: `stepwell.${name}`, attributes: Object.fromEntries(named) as Attributes }
}
