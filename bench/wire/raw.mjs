// The floor: node:http, one JSON.stringify an event, one write a reader. It keeps nothing, so nobody can come back.
import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { word } from './words.mjs'

export async function serve() {
  const readers = new Set()
  let seq = 1
  let log = []
  const frameOf = (event) =>
    `id: ${event.seq}\ndata: ${JSON.stringify({ prev: event.seq - 1, head: event.seq, events: [event] })}\n\n`
  const show = (event) => {
    const frame = frameOf(event)
    for (const response of readers) response.write(frame)
  }
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(`data: {"prev":${seq},"head":${seq},"events":[]}\n\n`)
    for (const page of log) response.write(page)
    readers.add(response)
    response.on('close', () => readers.delete(response))
  })
  return {
    server,
    answers: {
      head: () => seq,
      async say(deltas) {
        let from = 0
        for (let i = 0; i < deltas; i++) {
          const text = word(i)
          show({ type: 'text-delta', runId: 'run_1', messageId: 'msg_1', part: 0, from, text, seq: ++seq, at: 1 })
          from += text.length
          await turn()
        }
        show({ type: 'finish', runId: 'run_1', reason: 'stop', seq: ++seq, at: 1 })
      },
      /** The bytes that the other server will send, in the pages it sends them in. */
      fill(pages) {
        log = pages
      },
    },
  }
}
