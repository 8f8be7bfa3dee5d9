'use client'
import { type AssistantRuntime, type ExternalStoreAdapter, useExternalStoreRuntime } from '@assistant-ui/react'
import type { BlobRef, ErrorInfo, ReturnedInput } from '@stepwell/sdk'
import { errorInfo, type SessionSnapshot, type SessionView } from '@stepwell/sdk/view'
import { useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { ScopeContext, type SessionTarget, useTarget } from '../scope.ts'
import type { SessionSource } from '../session-source.ts'
import { useLatest } from '../use-latest.ts'
import { threadActions } from './actions.ts'
import { fileAttachments } from './attachments.ts'
import { messageConverter } from './convert-message.ts'
import { makeExtras } from './extras.ts'
import { giveBack } from './give-back.ts'
import { queueItems } from './queue.ts'
import { type Entry, transcriptOf } from './transcript.ts'
import { type SwitchThread, useThreads } from './use-threads.ts'

type Adapters = NonNullable<ExternalStoreAdapter['adapters']>

export interface StepwellRuntimeOptions extends SessionTarget {
  /**
   * Shows another session: the id a person chose, or undefined for a new one. With it the runtime has a list of threads,
   * read from the client or the agent.
   */
  readonly onSwitch?: SwitchThread
  /** Where the page loads a blob of a session from. Without it, stored images and files have a name and no content. */
  readonly blobUrl?: (blob: BlobRef, sessionId: string) => string
  /** Told why something was refused that assistant-ui shows nowhere: a change to the queue or to a thread, a stop, a result. */
  readonly onError?: (error: ErrorInfo) => void
  /** Further adapters of assistant-ui. `attachments` takes the place of ours, which takes any file. */
  readonly adapters?: Omit<Adapters, 'threadList'>
}

/**
 * A session as a runtime of assistant-ui: of the client, agent, session or view that is given, or else of the
 * `<AgentProvider>` around it.
 */
export function useStepwellRuntime(options: StepwellRuntimeOptions = {}): AssistantRuntime {
  const { onSwitch, onError, adapters } = options
  const { source, view } = useSession(options)
  const snapshot = useSyncExternalStore(view.subscribe, view.getSnapshot, view.getServerSnapshot)
  const latest = useLatest(options)
  const composer = useRef<AssistantRuntime['thread']['composer'] | undefined>(undefined)

  const { convertMessage, handlers, queue } = useMemo(() => {
    const blobUrl = (blob: BlobRef) => latest.current.blobUrl?.(blob, view.session.id)
    const tell = (error: ErrorInfo) => latest.current.onError?.(error)
    const onReturned = (inputs: readonly ReturnedInput[]) => {
      if (composer.current === undefined) return
      giveBack(composer.current, inputs, blobUrl).catch((thrown) => tell(errorInfo(thrown)))
    }
    return { convertMessage: messageConverter(blobUrl), ...threadActions(view, { onError: tell, onReturned }) }
  }, [view, latest])

  const threadList = useThreads(source, view, snapshot, onSwitch, onError)
  const allAdapters = useMemo(() => ({ attachments: fileAttachments, ...adapters, threadList }), [adapters, threadList])
  const waiting = useWaiting(view, snapshot)
  const fullQueue = useMemo(() => ({ ...queue, ...waiting }), [queue, waiting])
  const messages = transcriptOf(view).entries(snapshot)

  const store = useMemo((): ExternalStoreAdapter<Entry> => {
    const { status, connection, older, state } = snapshot
    return {
      messages,
      convertMessage,
      isRunning: status === 'running' || status === 'stopping',
      isLoading: connection.status === 'connecting' && state.seq === 0,
      isSendDisabled: connection.status === 'failed' || connection.status === 'closed',
      hasEarlier: older.more,
      queue: fullQueue,
      extras: makeExtras(view, snapshot),
      adapters: allAdapters,
      ...handlers,
    }
  }, [snapshot, messages, convertMessage, handlers, fullQueue, view, allAdapters])

  const runtime = useExternalStoreRuntime(store)
  useEffect(() => {
    composer.current = runtime.thread.composer
  }, [runtime])
  return runtime
}

function useSession(target: SessionTarget): { source: SessionSource | undefined; view: SessionView } {
  const outer = useContext(ScopeContext)
  const own = useTarget(target)
  const { client, agent, session, view, sessionId } = target
  const hasTarget = [client, agent, session, view, sessionId].some((one) => one !== undefined)
  const scope = hasTarget || outer === undefined ? own : outer
  return { source: scope.source, view: scope.view() }
}

function useWaiting(view: SessionView, snapshot: SessionSnapshot) {
  return useMemo(() => queueItems(snapshot, transcriptOf(view).waiting(snapshot)), [view, snapshot])
}
