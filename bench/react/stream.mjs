// A reply, fed into the page as its server would send it: bytes of one response, a delta at a time.

const encoder = new TextEncoder()
const WORDS = 'stream fold reply token state render frame cell view part commit text'.split(' ')

/** The words of a reply, in an order that does not repeat itself. */
export function words(count) {
  let seed = 1
  return Array.from({ length: count }, () => {
    seed = (seed * 48_271) % 2_147_483_647
    return `${WORDS[seed % WORDS.length]} `
  })
}

/** `data: …` of one event or several. */
export function frames(...events) {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
}

/** A response that is written while it is read. */
export class Feed {
  #controller
  response

  constructor(headers = {}) {
    const body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
    })
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream', ...headers } })
  }

  write(bytes) {
    this.#controller.enqueue(bytes)
  }

  close() {
    this.#controller.close()
  }
}

export const bytesOf = (text) => encoder.encode(text)
