export { type IndexedDBStoreOptions, indexedDBStore } from './store.ts'
