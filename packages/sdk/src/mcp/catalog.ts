import { thrownText } from '../protocol/errors.ts'
import type { Tool } from '../tools/tool.ts'
import type { McpChange, McpDrift } from './changes.ts'
import { fingerprintOf, type McpToolDefinition, readDefinition } from './definition.ts'
import { toolFilter, toolName } from './names.ts'
import type { McpServer } from './options.ts'

export interface CatalogOptions {
  readonly name: string
  readonly server: McpServer
  /** Fingerprints as first seen or accepted, by the tools' names here. */
  readonly known: Map<string, string>
  makeTool(definition: McpToolDefinition): Tool
  onDrift(drift: McpDrift): boolean | Promise<boolean>
  onChange(change: McpChange): void
}

interface Entry {
  readonly tool: Tool
  readonly definition: McpToolDefinition
  readonly fingerprint: string
}

/** What a server offers, as far as it may be used. */
export class Catalog {
  readonly #options: CatalogOptions
  readonly #isWanted: (tool: string) => boolean
  /** Definitions that were refused, by name: they are not asked about again. */
  readonly #refused = new Map<string, string>()
  #entries: ReadonlyMap<string, Entry> = new Map()
  /** What was told already: names and reasons. */
  #leftOut: ReadonlyMap<string, string> = new Map()
  #updating: Promise<void> = Promise.resolve()

  constructor(options: CatalogOptions) {
    this.#options = options
    this.#isWanted = toolFilter(options.server)
  }

  get tools(): readonly Tool[] {
    return [...this.#entries.values()].map(({ tool }) => tool)
  }

  /** Whether a tool of this name may be used now. */
  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Takes over a new list. Lists are taken one after the other. */
  update(list: readonly unknown[]): Promise<void> {
    const updated = this.#updating.then(() => this.#take(list))
    this.#updating = updated.catch(() => {})
    return updated
  }

  async #take(list: readonly unknown[]): Promise<void> {
    const { name: server, onChange } = this.#options
    const entries = new Map<string, Entry>()
    const leftOut = new Map<string, string>()
    const leave = (tool: string, reason: string): void => {
      leftOut.set(tool, reason)
      if (this.#leftOut.get(tool) !== reason) onChange({ type: 'tool-left-out', server, tool, reason })
    }
    for (const item of list) {
      const read = readDefinition(item)
      if (!this.#isWanted(read.name)) continue
      if ('problem' in read) {
        leave(read.name, read.problem)
        continue
      }
      const name = toolName(server, read.name)
      if (entries.has(name)) {
        leave(read.name, 'the server has another one of this name')
        continue
      }
      try {
        const entry = await this.#entry(name, read)
        if (entry === undefined) leave(read.name, 'its definition changed, which was not accepted')
        else entries.set(name, entry)
      } catch (error) {
        leave(read.name, thrownText(error))
      }
    }
    const before = this.#entries
    this.#entries = entries
    this.#leftOut = leftOut
    const isSame =
      before.size === entries.size && [...entries].every(([name, { tool }]) => before.get(name)?.tool === tool)
    if (!isSame) onChange({ type: 'tools-changed', server, tools: [...entries.keys()] })
  }

  /** Undefined for a changed tool that may not be used. A tool that is the same stays the same object. */
  async #entry(name: string, definition: McpToolDefinition): Promise<Entry | undefined> {
    const { known, makeTool } = this.#options
    const fingerprint = await fingerprintOf(definition)
    const current = this.#entries.get(name)
    if (current?.fingerprint === fingerprint) return current
    const first = known.get(name)
    if (first !== undefined && first !== fingerprint && !(await this.#mayChange(name, definition, fingerprint))) {
      return undefined
    }
    const tool = makeTool(definition)
    known.set(name, fingerprint)
    return { tool, definition, fingerprint }
  }

  async #mayChange(name: string, definition: McpToolDefinition, fingerprint: string): Promise<boolean> {
    const { name: server, onDrift } = this.#options
    if (this.#refused.get(name) === fingerprint) return false
    const previous = this.#entries.get(name)?.definition
    const drift: McpDrift = { server, tool: name, definition, ...(previous && { previous }) }
    const isAccepted = await onDrift(drift)
    if (!isAccepted) this.#refused.set(name, fingerprint)
    return isAccepted
  }
}
