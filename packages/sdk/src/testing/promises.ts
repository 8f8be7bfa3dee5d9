import type { AgentEvent } from '../protocol/events.ts'
import type { AssistantMessage } from '../protocol/messages.ts'
import { reduce } from '../protocol/reduce.ts'
import { initialState } from '../protocol/state.ts'

/**
 * What a stored log breaks of the promises that can be seen in it: its order, its pairs, one run at a time, nothing
 * eaten. Empty when it keeps them all. A log whose owner died a moment ago may end in the middle of a run: `isOpen`.
 */
export function brokenPromises(
  events: readonly AgentEvent[],
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): string[] {
  const log = new Log()
  for (const event of events) log.take(event)
  const { steer, queue } = reduce(initialState('s'), events).pending.lanes
  log.end([...steer, ...queue].map(({ id }) => id).sort(), isOpen)
  return log.broken
}

class Log {
  readonly broken: string[] = []
  #seq = 0
  #runId: string | undefined
  #openCall = false
  /** Calls of committed messages, and whether they have their result. */
  readonly #calls = new Map<string, 'open' | 'started' | 'answered'>()
  readonly #requests = new Map<string, 'open' | 'resolved'>()
  readonly #finished = new Set<string>()
  /** The run that an abort was sequenced for. */
  #stopping: string | undefined
  /** Accepted, and neither taken nor returned. */
  readonly #inputs = new Set<string>()
  readonly #accepted = new Set<string>()
  readonly #messages = new Set<string>()

  take(event: AgentEvent): void {
    this.#demand(event.seq > this.#seq, `${event.type} at ${event.seq} does not follow ${this.#seq}`)
    this.#seq = event.seq
    if (event.runId !== undefined && this.#finished.has(event.runId)) {
      this.#demand(event.type === 'run-start', `${event.type} came after the finish of ${event.runId}`)
    }
    switch (event.type) {
      case 'run-start':
        this.#demand(this.#runId === undefined, `${event.runId} started while ${this.#runId} was open`)
        this.#demand(!this.#finished.has(event.runId), `${event.runId} started again`)
        this.#runId = event.runId
        return
      case 'turn-start':
        this.#demand(this.#runId === event.runId, 'a turn started outside its run')
        this.#demand(!this.#openCall, 'a turn started before the usage of the one before')
        this.#openCall = true
        return
      case 'abort':
        this.#demand(this.#runId === event.runId, `${event.runId} was stopped and was not open`)
        this.#demand(this.#stopping !== event.runId, `${event.runId} was stopped twice`)
        this.#stopping = event.runId
        return
      case 'usage':
        this.#demand(this.#openCall, 'a usage without a turn')
        this.#openCall = false
        return
      case 'message':
        this.#demand(!this.#messages.has(event.message.id), `message ${event.message.id} came twice`)
        this.#messages.add(event.message.id)
        if (event.message.role === 'user') {
          const { id } = event.message
          this.#demand(this.#inputs.delete(id), `${id} was taken and had not been waiting`)
        }
        if (event.message.role === 'assistant') this.#open(event.message)
        return
      case 'tool-start':
        this.#demand(this.#calls.get(event.callId) !== undefined, `${event.callId} started before its message`)
        this.#demand(this.#calls.get(event.callId) !== 'answered', `${event.callId} started after its result`)
        this.#demand(this.#stopping !== event.runId, `${event.callId} started after the abort`)
        this.#demand(
          this.#requests.get(`req_${event.callId}`) !== 'open',
          `${event.callId} started before it was answered`,
        )
        this.#demand(
          event.effect !== 'write' || this.#calls.get(event.callId) !== 'started',
          `${event.callId} writes and started twice`,
        )
        this.#calls.set(event.callId, 'started')
        return
      case 'tool-result': {
        const { callId } = event.result
        this.#demand(this.#calls.has(callId), `a result for ${callId}, which no message asked for`)
        this.#demand(this.#calls.get(callId) !== 'answered', `${callId} has two results`)
        this.#calls.set(callId, 'answered')
        return
      }
      case 'request': {
        const { id, callId = '' } = event.request
        this.#demand(!this.#requests.has(id), `${id} was asked twice`)
        this.#demand(this.#stopping !== event.runId, `${id} was asked after the abort`)
        this.#demand(this.#calls.has(callId), `${id} was asked before the message of its call`)
        this.#demand(this.#calls.get(callId) !== 'answered', `${id} was asked after the result of its call`)
        this.#requests.set(id, 'open')
        return
      }
      case 'request-resolved':
        this.#demand(this.#requests.get(event.requestId) === 'open', `${event.requestId} was not open when resolved`)
        this.#requests.set(event.requestId, 'resolved')
        return
      case 'input':
        this.#demand(!this.#accepted.has(event.inputId), `${event.inputId} was accepted twice`)
        this.#accepted.add(event.inputId)
        this.#inputs.add(event.inputId)
        return
      case 'input-returned':
        this.#demand(this.#inputs.delete(event.inputId), `${event.inputId} was returned and had not been waiting`)
        return
      case 'finish':
        this.#demand(this.#runId === event.runId, `${event.runId} finished and was not open`)
        this.#demand(!this.#openCall, `${event.runId} finished before the usage of its last turn`)
        this.#closed('call', this.#calls, 'answered')
        this.#closed('request', this.#requests, 'resolved')
        this.#finished.add(event.runId)
        this.#runId = undefined
    }
  }

  end(waiting: readonly string[], isOpen: boolean): void {
    this.#demand(isOpen || this.#runId === undefined, `${this.#runId} has no finish`)
    const accepted = [...this.#inputs].sort()
    this.#demand(`${accepted}` === `${waiting}`, `the inputs ${accepted} were accepted, but ${waiting} are waiting`)
  }

  #open({ parts }: AssistantMessage): void {
    for (const part of parts) {
      if (part.type !== 'tool-call' || part.executed || part.result) continue
      this.#demand(!this.#calls.has(part.callId), `${part.callId} was called twice`)
      this.#calls.set(part.callId, 'open')
    }
  }

  #closed(what: string, all: ReadonlyMap<string, string>, closed: string): void {
    for (const [id, state] of all) this.#demand(state === closed, `${what} ${id} was open at the finish`)
  }

  #demand(holds: boolean, complaint: string): void {
    if (!holds) this.broken.push(complaint)
  }
}
