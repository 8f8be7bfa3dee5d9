import type { JsonObject, JsonValue } from '../../protocol/json.ts'

/** Calls that somebody else than the provider answers. */
const NOT_PROVIDED = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
])

/** Whether an output item is a call that the provider runs itself: `web_search_call`, `mcp_call` and whatever comes. */
export function isProviderCall(type: unknown): type is string {
  return typeof type === 'string' && type.endsWith('_call') && !NOT_PROVIDED.has(type)
}

export function nameOfCall(item: JsonObject): string {
  return typeof item.name === 'string' ? item.name : String(item.type).replace(/_call$/, '')
}

/** What the model asked, where the API says it apart from what came of it. */
export function inputOfCall(item: JsonObject): JsonObject {
  if (item.type !== 'code_interpreter_call') return {}
  return { ...(item.code !== undefined && { code: item.code }) }
}

/** What came of it, for people: the item without its ids, and without an image, which becomes a file. */
export function outputOfCall(item: JsonObject): JsonValue {
  const hidden = ['id', 'type', 'name', 'arguments', 'code', 'container_id', 'server_label']
  if (item.type === 'image_generation_call') hidden.push('result')
  return Object.fromEntries(Object.entries(item).filter(([key, value]) => value !== null && !hidden.includes(key)))
}

/** The item for the next request. A picture's bytes are kept once, as the file they became. */
export function replayOfCall(item: JsonObject): JsonObject {
  if (item.type !== 'image_generation_call') return item
  const { result: _, ...rest } = item
  return rest
}
