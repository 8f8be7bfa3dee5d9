export { type BusConformanceOptions, busConformance } from './bus-conformance.ts'
export { type ConformanceCase, ConformanceError } from './conformance.ts'
export { type ManualClock, manualClock } from './manual-clock.ts'
export { type ProviderConformanceOptions, providerConformance } from './provider-conformance.ts'
export {
  framed,
  type Gate,
  hold,
  type RecordedApi,
  type RecordedRequest,
  type RecordingServer,
  type Reply,
  recording,
  recordingServer,
} from './recording-server.ts'
export {
  providerFailure,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.ts'
export { type StoreConformanceOptions, storeConformance } from './store-conformance.ts'
