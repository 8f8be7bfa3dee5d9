export { type BusConformanceOptions, busConformance } from './bus-conformance.ts'
export { type ConformanceCase, ConformanceError } from './conformance.ts'
export { type StoreConformanceOptions, storeConformance } from './store-conformance.ts'
