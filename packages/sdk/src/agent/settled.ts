import type { Receipt } from '../protocol/commands.ts'
import { InputError, SessionError } from '../protocol/errors.ts'
import type { SettledInput } from '../protocol/session.ts'
import type { Feed } from './feed.ts'

/** Resolves when the input is in the history or handed back, whichever process does it. */
export function settledInput(feed: Feed, inputId: string): Promise<SettledInput> {
  return new Promise((resolve, reject) => {
    const settle = (settled: SettledInput): void => {
      unsubscribe()
      resolve(settled)
    }
    const fail = (error: unknown): void => {
      unsubscribe()
      reject(error)
    }
    const unsubscribe = feed.subscribe(
      (_state, { events }) => {
        for (const event of events) {
          if (event.type === 'input-returned' && event.inputId === inputId) settle({ inputId, status: 'returned' })
          if (event.type !== 'message' || event.message.role !== 'user' || event.message.id !== inputId) continue
          settle({ inputId, status: 'absorbed', runId: event.message.runId ?? '' })
        }
      },
      () => reject(new SessionError('session.closed', 'The session was closed here.')),
      true,
    )
    if (feed.isClosed) return fail(new SessionError('session.closed', 'The session was closed here.'))
    alreadySettled(feed, inputId).then((settled) => settled && settle(settled), fail)
  })
}

/** Undefined while it waits. */
async function alreadySettled({ state, store }: Feed, inputId: string): Promise<SettledInput | undefined> {
  const receipt = await store.receipt(state.id, inputId)
  if (receipt !== undefined && isOfInput(receipt)) {
    const { status, messageId, runId } = receipt
    if (status === 'returned') return { inputId, status }
    return messageId === undefined ? undefined : { inputId, status: 'absorbed', runId: runId ?? '' }
  }
  const waiting = await store.commands(state.id)
  if (waiting.some(({ id, type }) => id === inputId && type === 'input')) return undefined
  throw new InputError('input.unknown', `The session never accepted an input ${inputId}.`)
}

function isOfInput({ status, inputId, commandId }: Receipt): boolean {
  return inputId === commandId && status !== 'refused'
}
