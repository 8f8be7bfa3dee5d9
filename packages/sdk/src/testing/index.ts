export { type BusConformanceOptions, busConformance } from './bus-conformance.ts'
export { type ConformanceCase, ConformanceError } from './conformance.ts'
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
export { type StoreConformanceOptions, storeConformance } from './store-conformance.ts'
