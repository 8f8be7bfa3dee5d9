export { preloadSession, type SessionPreload } from '@stepwell/sdk/view'
export {
  type AgentHooks,
  createAgentHooks,
  type TypedCall,
  type TypedCallPart,
  type TypedRenderers,
} from './agent-hooks.ts'
export { AgentProvider, type AgentProviderProps } from './agent-provider.tsx'
export { HydrateSession, type HydrateSessionProps } from './hydrate-session.tsx'
export {
  MessageParts,
  type MessagePartsProps,
  type PartProps,
  type PartRenderers,
  type ToolCallProps,
} from './message-parts.tsx'
export type { SessionTarget } from './scope.ts'
export type { SessionActions } from './session-actions.ts'
export type { SessionListQuery, SessionSource } from './session-source.ts'
export { type AgentSessionResult, useAgentSession } from './use-agent-session.ts'
export { type Announcer, type AnnouncerWords, useAnnouncer } from './use-announcer.ts'
export { type Attachment, type Composer, type ComposerOptions, useComposer } from './use-composer.ts'
export { useMessage, useMessageIds, usePart, useToolCall } from './use-messages.ts'
export { type CallProgress, type Progress, useProgress } from './use-progress.ts'
export { type Queue, useQueue } from './use-queue.ts'
export { type Approvals, type Questions, useApprovals, useQuestions } from './use-requests.ts'
export { type SessionHandle, useSession } from './use-session.ts'
export { useSessionEvent } from './use-session-event.ts'
export { type SessionList, useSessionList } from './use-session-list.ts'
export { useSessionSelector } from './use-session-selector.ts'
export { type HistoryPager, useConnection, useDeliverables, useHistoryPager, useTasks, useUsage } from './use-slices.ts'
export { type ThreadViewport, type ThreadViewportOptions, useThreadViewport } from './use-thread-viewport.ts'
