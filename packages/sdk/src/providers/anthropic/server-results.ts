import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

/** The tool behind a `…_tool_result` block whose call is in an earlier reply. */
export function nameOfResult(result: JsonObject): string {
  return String(result.type).replace(/_tool_result$/, '')
}

/** A result for people: without the sealed copies, which only the model can read. */
export function outputOf(result: JsonObject): JsonValue {
  const { content } = result
  return Array.isArray(content) ? content.map(unsealed) : unsealed(content ?? null)
}

function unsealed(value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => !key.startsWith('encrypted_')))
}

/** The pages a search found or a fetch read. */
export function sourcesOf(result: JsonObject): readonly JsonObject[] {
  const { content } = result
  if (Array.isArray(content)) return content.filter((item) => isObject(item) && item.type === 'web_search_result')
  if (!isObject(content) || content.type !== 'web_fetch_result') return []
  const document = content.content
  return [{ ...(content as JsonObject), ...(isObject(document) && { title: (document.title ?? null) as JsonValue }) }]
}
