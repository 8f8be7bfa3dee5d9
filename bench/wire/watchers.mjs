// Readers that check what they read: `watchers.mjs <port> <sessions> <readers of each>`. They know nothing of the log but
// its order: frames follow one another, text grows from where it was, and a message says what its deltas said.
import { get } from 'node:http'

const [port, sessions, each] = process.argv.slice(2).map(Number)
const count = sessions * each
const seen = { events: 0, messages: 0, reconnects: 0, wrong: [] }
let connected = 0

class Watcher {
  #head = 0
  #text = ''
  #waiting = ''
  #isFirst = true

  take(chunk) {
    const parts = (this.#waiting + chunk).split('\n\n')
    this.#waiting = parts.pop()
    for (const part of parts) this.#frame(JSON.parse(part.slice(part.indexOf('data: ') + 6)))
  }

  #frame({ prev, head, events = [], reconnect }) {
    if (reconnect !== undefined) {
      seen.reconnects++
      return
    }
    if (prev !== this.#head) wrong(`a frame after ${prev} at ${this.#head}`)
    this.#head = head
    for (const event of events) this.#event(event)
    if (!this.#isFirst) return
    this.#isFirst = false
    if (++connected === count) process.send('connected')
  }

  #event(event) {
    seen.events++
    if (event.type === 'turn-start') this.#text = ''
    else if (event.type === 'text-delta') {
      if (event.from !== this.#text.length) wrong(`text from ${event.from} at ${this.#text.length}`)
      this.#text += event.text
    } else if (event.type === 'message' && event.message.role === 'assistant') {
      seen.messages++
      if (event.message.parts[0].text !== this.#text) wrong('a message that its deltas did not say')
    }
  }
}

function wrong(what) {
  if (seen.wrong.length < 10) seen.wrong.push(what)
}

function watch(session) {
  get({ host: '127.0.0.1', port, path: `/sessions/s${session}/events`, agent: false }, (response) => {
    if (response.statusCode !== 200) wrong(`the server answered with ${response.statusCode}`)
    const watcher = new Watcher()
    response.setEncoding('utf8').on('data', (chunk) => watcher.take(chunk))
    response.on('error', (error) => wrong(String(error)))
  })
}

for (let session = 0; session < sessions; session++) for (let i = 0; i < each; i++) watch(session)
process.on('message', () => process.send(seen))
process.on('disconnect', () => process.exit())
