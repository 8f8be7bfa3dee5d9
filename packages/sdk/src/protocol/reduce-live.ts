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

/** Calls of a reply that was thrown away never get a result. */
export function endLiveCalls(draft: Draft): void {
  if (Object.keys(draft.live.calls).length > 0) draft.live = { ...draft.live, calls: {} }
}

/** What is stored of a task is newer than the progress shown before. */
export function endLiveTask(draft: Draft, id: string): void {
  if (draft.live.tasks[id] === undefined) return
  const { [id]: _shown, ...tasks } = draft.live.tasks
  draft.live = { ...draft.live, tasks }
}

export function endLive(draft: Draft): void {
  draft.live = { calls: {}, tasks: {} }
}
