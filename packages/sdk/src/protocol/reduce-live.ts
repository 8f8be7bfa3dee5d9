import type {
  ActivityEvent,
  TaskEvent,
  ToolCallEvent,
  ToolOutputEvent,
  ToolResultEvent,
  ToolStartEvent,
} from './events.ts'
import type { Draft, LiveCall } from './state.ts'

/** UTF-16 units of a running tool's output that are kept for people. */
const OUTPUT_KEPT = 20_000

type LiveEvent = ToolCallEvent | ToolStartEvent | ToolOutputEvent | ToolResultEvent | ActivityEvent | TaskEvent

/** Folds into `state.live` and nothing else. */
export function applyLive(draft: Draft, event: LiveEvent): void {
  switch (event.type) {
    case 'tool-call':
      return setLiveCall(draft, event.callId, {
        toolName: event.toolName,
        input: event.input,
        running: false,
        output: '',
      })
    case 'tool-start': {
      const known = draft.live.calls[event.callId]
      return setLiveCall(draft, event.callId, { ...(known ?? { output: '' }), toolName: event.toolName, running: true })
    }
    case 'tool-output': {
      const known = draft.live.calls[event.callId]
      if (known === undefined) return
      return setLiveCall(draft, event.callId, {
        ...known,
        output: (known.output + event.text).slice(-OUTPUT_KEPT),
        ...(event.progress && { progress: event.progress }),
      })
    }
    case 'tool-result': {
      if (draft.live.calls[event.result.callId] === undefined) return
      const { [event.result.callId]: _done, ...calls } = draft.live.calls
      draft.live = { ...draft.live, calls }
      return
    }
    case 'activity': {
      const { activity: _before, ...live } = draft.live
      draft.live = event.activity ? { ...live, activity: event.activity } : live
      return
    }
    case 'task':
      draft.live = { ...draft.live, tasks: { ...draft.live.tasks, [event.task.id]: event.task } }
      return
  }
}

function setLiveCall(draft: Draft, callId: string, call: LiveCall): void {
  draft.live = { ...draft.live, calls: { ...draft.live.calls, [callId]: call } }
}
