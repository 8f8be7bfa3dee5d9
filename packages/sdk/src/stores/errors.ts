import { SessionError, StoreError } from '../protocol/errors.ts'
import { MAX_GENERATION } from '../protocol/seq.ts'

export function sessionTaken(id: string): SessionError {
  return new SessionError('session.conflict', `There is a session ${JSON.stringify(id)} already.`)
}

export function sessionNotFound(id: string): SessionError {
  return new SessionError('session.not-found', `There is no session ${JSON.stringify(id)}.`)
}

export function sessionBusy(id: string, expiresAt: number): SessionError {
  return new SessionError('session.busy', `Another owner has session ${JSON.stringify(id)}.`, {
    retryable: true,
    details: { expiresAt },
  })
}

export function leaseLost(id: string, generation: number): SessionError {
  return new SessionError(
    'session.lease-lost',
    `Generation ${generation} no longer owns session ${JSON.stringify(id)}.`,
  )
}

export function commandConflict(id: string, commandId: string): SessionError {
  return new SessionError(
    'session.conflict',
    `Session ${JSON.stringify(id)} has a command ${JSON.stringify(commandId)} with other content. Give each command its own id.`,
  )
}

export function outOfOrder(id: string, seq: number): SessionError {
  return new SessionError(
    'session.conflict',
    `Event ${seq} does not come after what session ${JSON.stringify(id)} holds.`,
  )
}

export function generationsUsedUp(id: string): StoreError {
  return new StoreError(
    'store.full',
    `Session ${JSON.stringify(id)} had ${MAX_GENERATION} owners, the most there can be. Fork it to go on.`,
  )
}

export function storeClosed(): StoreError {
  return new StoreError('store.unavailable', 'The store is closed.')
}
