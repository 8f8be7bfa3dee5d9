import { SessionError, StoreError } from '../protocol/errors.ts'

export function sessionTaken(id: string): SessionError {
  return new SessionError('session.conflict', `There is ${named(id)} already.`)
}

export function sessionNotFound(id: string): SessionError {
  return new SessionError('session.not-found', `There is no ${named(id)}.`)
}

export function sessionBusy(id: string, expiresAt: number): SessionError {
  return new SessionError('session.busy', `Another owner has ${named(id)}.`, {
    retryable: true,
    details: { expiresAt },
  })
}

export function leaseLost(id: string, generation: number): SessionError {
  return new SessionError('session.lease-lost', `Generation ${generation} no longer owns ${named(id)}.`)
}

export function commandConflict(id: string, commandId: string): SessionError {
  const text = `There is another command ${JSON.stringify(commandId)} in ${named(id)}: give each its own id.`
  return new SessionError('session.conflict', text)
}

export function outOfOrder(id: string, seq: number): SessionError {
  return new SessionError('session.conflict', `Event ${seq} does not come after what ${named(id)} holds.`)
}

export function generationsUsedUp(id: string): StoreError {
  return new StoreError('store.full', `No more owners fit ${named(id)}: fork it.`)
}

export function storeClosed(): StoreError {
  return new StoreError('store.unavailable', 'The store is closed.')
}

function named(id: string): string {
  return `session ${JSON.stringify(id)}`
}
