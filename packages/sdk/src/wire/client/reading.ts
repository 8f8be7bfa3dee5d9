// What reads a session event by event: loaded by the first run, reader or `settled`. A page that shows states needs none.
export { readEvents } from './reader.ts'
export { runHandle } from './run-handle.ts'
export { settledInput } from './settled.ts'
