export type * from '../protocol/compliance.ts'
export type { WordListOptions } from './word-list.ts'
export { wordList } from './word-list.ts'
