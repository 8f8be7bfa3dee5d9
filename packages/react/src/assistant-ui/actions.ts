import type { AppendMessage, ExternalStoreAdapter, ExternalThreadQueueAdapter } from '@assistant-ui/react'
import type { Answer, ErrorInfo, Lane, Receipt, Request, ReturnedInput } from '@stepwell/sdk'
import { ConfigError, errorInfo, type SessionView, StepwellError } from '@stepwell/sdk/view'
import { resolutionOf } from './approvals.ts'
import { inputOf } from './input.ts'
import { transcriptOf } from './transcript.ts'

export interface ActionListeners {
  /** Told of refusals that assistant-ui has no place for. */
  onError(error: ErrorInfo): void
  /** Inputs that a stop handed back. */
  onReturned(inputs: readonly ReturnedInput[]): void
}

type Handlers = Required<
  Pick<
    ExternalStoreAdapter,
    | 'onNew'
    | 'onEdit'
    | 'onReload'
    | 'onCancel'
    | 'onLoadEarlier'
    | 'onAddToolResult'
    | 'onResumeToolCall'
    | 'onRespondToToolApproval'
  >
>

export interface ThreadActions {
  readonly handlers: { readonly [Name in keyof Handlers]: NonNullable<Handlers[Name]> }
  readonly queue: Omit<ExternalThreadQueueAdapter, 'items' | 'steerItems'>
}

/** What can be done in a thread. Promises reject with why the session refused. */
export function threadActions(view: SessionView, { onError, onReturned }: ActionListeners): ThreadActions {
  const { session } = view
  const transcript = transcriptOf(view)

  /** What it cannot send stays in the outbox, and is shown with its error. */
  async function send(message: AppendMessage, mode: Lane): Promise<void> {
    await view.send(inputOf(message), { mode })
  }

  /** Makes what assistant-ui calls the parent the end of the history. */
  async function backTo(parentId: string | null): Promise<void> {
    accepted(await session.rewind(parentId === null ? undefined : transcript.lastMessageId(parentId)))
  }

  /** For what assistant-ui does not wait for. */
  function report(act: () => Promise<unknown>): void {
    act().catch((thrown) => onError(errorInfo(thrown)))
  }

  async function answer(request: Request, given: Answer): Promise<void> {
    const receipt = await view.resolve(request.id, given)
    // Somebody else was faster: that is no failure, and everybody sees whose answer it was.
    if (receipt.error?.code !== 'request.already-resolved') accepted(receipt)
  }

  const open = (what: string, fits: (request: Request) => boolean): Request => {
    const request = view.live.pending.requests.find(fits)
    if (request === undefined) throw new StepwellError('request.unknown', `Nothing is asked of ${what}.`)
    return request
  }
  const ofCall = (callId: string) => open(callId, (request) => request.callId === callId)

  return {
    handlers: {
      onNew: (message) => send(message, 'steer'),
      async onEdit(message) {
        const edited = inputOf(message)
        await backTo(message.parentId)
        await view.send(edited)
      },
      async onReload(parentId) {
        await backTo(parentId)
        session.continue()
      },
      async onCancel() {
        const receipt = await view.stop()
        if (receipt.status === 'refused' && receipt.error !== undefined) onError(receipt.error)
        if (receipt.returned !== undefined && receipt.returned.length > 0) onReturned(receipt.returned)
      },
      onLoadEarlier: () => view.loadBefore(),
      onAddToolResult({ toolCallId, result, isError }) {
        const text = typeof result === 'string' ? result : JSON.stringify(result)
        return report(async () => answer(ofCall(toolCallId), isError ? { error: text } : { output: result }))
      },
      onResumeToolCall: ({ toolCallId, payload }) => report(async () => answer(ofCall(toolCallId), payload as Answer)),
      async onRespondToToolApproval(response) {
        const request = open(response.approvalId, ({ id }) => id === response.approvalId)
        await answer(request, resolutionOf(request, response))
      },
    },
    queue: {
      // It is also called while a run waits for a person, and where none is open: neither is a wish to wait for its end.
      enqueue: (message) => report(() => send(message, message.steer === false ? 'queue' : 'steer')),
      steer: (message) => report(() => send(message, 'steer')),
      move(id, { lane = 'queue', insertAfter, insertBefore }) {
        if (insertAfter != null || insertBefore != null) {
          throw new ConfigError(
            'config.invalid',
            'Inputs can change lanes. In a lane they stay in the order they came.',
          )
        }
        report(async () => accepted(await session.changeInput(id, { lane })))
      },
      edit: (id, message) => report(async () => accepted(await session.changeInput(id, { input: inputOf(message) }))),
      remove: (id) => report(async () => accepted(await session.changeInput(id, { remove: true }))),
    },
  }
}

function accepted({ status, error }: Receipt): void {
  if (status !== 'refused') return
  const { code = 'internal', message = 'It was refused without a reason.', retryable = false } = error ?? {}
  throw new StepwellError(code, message, { retryable })
}
