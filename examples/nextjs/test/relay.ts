import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The network between a browser and a server. It passes bytes on until something happens to it. */
export class Relay {
  readonly #server: Server
  readonly #lines = new Set<Line>()

  static async to(target: string): Promise<Relay> {
    const { hostname, port } = new URL(target)
    const relay = new Relay(hostname, Number(port))
    await once(relay.#server.listen(0, '127.0.0.1'), 'listening')
    return relay
  }

  private constructor(host: string, port: number) {
    this.#server = createServer((browser) => this.#add(new Line(browser, connect(port, host))))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Every connection breaks. */
  cut(): void {
    for (const line of this.#lines) line.close()
  }

  /** As after a laptop’s sleep: streams that were open bring nothing more, and nobody says so. The others break. */
  sleep(): void {
    for (const line of this.#lines) line.goDeaf()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #add(line: Line): void {
    this.#lines.add(line)
    line.onClose(() => this.#lines.delete(line))
  }
}

/** One connection of the browser, and the one to the server behind it. */
class Line {
  #streams = false
  readonly #browser: Socket
  readonly #server: Socket

  constructor(browser: Socket, server: Socket) {
    this.#browser = browser
    this.#server = server
    for (const socket of [browser, server]) socket.on('error', () => this.close())
    server.on('data', (chunk) => {
      this.#streams ||= chunk.includes('text/event-stream')
    })
    browser.pipe(server)
    server.pipe(browser)
  }

  goDeaf(): void {
    if (!this.#streams) return this.close()
    this.#server.unpipe(this.#browser)
    this.#server.destroy()
  }

  close(): void {
    this.#browser.destroy()
    this.#server.destroy()
  }

  onClose(listener: () => void): void {
    this.#browser.once('close', () => {
      this.#server.destroy()
      listener()
    })
  }
}
