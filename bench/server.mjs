// A Chat Completions endpoint in a process of its own. The model's name says what it answers: see work/replies.mjs.
// Every chunk is written by itself, as fast as the reader takes them, or a millisecond apart; what is written is the same for
// everyone.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { replyTo } from './work/replies.mjs'

const bodies = new Map()

const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const { model, messages } = JSON.parse(text)
  const turn = messages.filter(({ role }) => role === 'tool').length
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (model === 'endless') return writeUntilClosed(response)
  for (const frame of framesOf(model, turn)) {
    if (!response.write(frame)) await once(response, 'drain')
    if (model.endsWith(':paced')) await setTimeout(1)
  }
  response.end()
})

/** A word every 5 ms until the reader leaves. */
function writeUntilClosed(response) {
  const [, frame] = framesOf('text:1', 0)
  const writing = setInterval(() => response.write(frame), 5)
  response.on('close', () => clearInterval(writing))
}

function framesOf(model, turn) {
  const key = `${model} ${turn}`
  if (!bodies.has(key)) {
    const frames = replyTo(model, turn).map((chunk) => Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))
    bodies.set(key, [...frames, Buffer.from('data: [DONE]\n\n')])
  }
  return bodies.get(key)
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit())
