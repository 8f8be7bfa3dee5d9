// What an ordinary run never asks of the memory store, loaded together when something does.
export { memoryLedger } from './memory-ledger.ts'
export { pageOf } from './page.ts'
export { sha256Of } from './sha256.ts'
export { wantsOwner } from './wants-owner.ts'
