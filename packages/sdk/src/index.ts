export type { Agent } from './agent/create-agent.ts'
export { createAgent } from './agent/create-agent.ts'
export type { OpenOptions } from './agent/hub.ts'
export type { AgentOptions, ContextRequest, Logger, Retries, Timeouts } from './agent/runtime.ts'
export type { SessionBus } from './bus/bus.ts'
export { memoryBus } from './bus/memory.ts'
export type { CellKey } from './protocol/cells.ts'
export { changedCells } from './protocol/cells.ts'
export type { Clock, Ids } from './protocol/clock.ts'
export type * from './protocol/commands.ts'
export type { ErrorCode, ErrorInfo } from './protocol/errors.ts'
export {
  ConfigError,
  InputError,
  ProviderError,
  SessionError,
  StepwellError,
  StoreError,
  ToolError,
} from './protocol/errors.ts'
export type * from './protocol/events.ts'
export { isDelta, isDurable } from './protocol/events.ts'
export type { JsonObject, JsonValue } from './protocol/json.ts'
export { normalise } from './protocol/json.ts'
export type * from './protocol/ledger.ts'
export type * from './protocol/messages.ts'
export { modelView } from './protocol/model-view.ts'
export type * from './protocol/pricing.ts'
export { reduce } from './protocol/reduce.ts'
export type * from './protocol/requests.ts'
export type * from './protocol/session.ts'
export type * from './protocol/state.ts'
export { initialState, REDUCER_VERSION } from './protocol/state.ts'
export type * from './protocol/tasks.ts'
export type { Translate } from './protocol/text.ts'
export { displayText, messageText, resultText } from './protocol/text.ts'
export type { ContextUsage, Money, Usage, UsageTotals } from './protocol/usage.ts'
export { addUsage, totalTokens } from './protocol/usage.ts'
export type * from './providers/provider.ts'
export { memoryStore } from './stores/memory.ts'
export type * from './stores/store.ts'
export { defineTool } from './tools/define-tool.ts'
export type * from './tools/tool.ts'
