import { normaliseText } from '../../protocol/json.ts'
import type { ToolCallPart } from '../../protocol/messages.ts'
import { answerText, isBlank } from '../history.ts'
import type { CallWords } from '../wire-history.ts'
import type { FileContent, PromptMessage, ResultPiece, TextContent, ToolOutput } from './call-options.ts'
import { type FileContext, storedFile } from './files.ts'

/** Providers that hand the images of a result on to the model. Most others would write them out as base64 text. */
const HANDS_ON_IMAGES = /^(openai|azure)\.responses|anthropic|google|vertex|bedrock/

interface ResultContext extends CallWords, FileContext {
  readonly provider: string
}

/** The answers to the calls of a reply. Images that a provider does not hand on follow in a message of the user. */
export async function toolResults(
  calls: readonly ToolCallPart[],
  context: ResultContext,
): Promise<readonly PromptMessage[]> {
  if (calls.length === 0) return []
  const handsOn = HANDS_ON_IMAGES.test(context.provider)
  const content = await Promise.all(
    calls.map(async (call) => ({
      type: 'tool-result' as const,
      toolCallId: context.idOf(call),
      toolName: context.names.toWire(call.toolName),
      output: await outputOf(call, handsOn, context),
    })),
  )
  const results: PromptMessage = { role: 'tool', content }
  const images = handsOn ? [] : await imagesOf(calls, context)
  return images.length === 0 ? [results] : [results, { role: 'user', content: images }]
}

async function outputOf(call: ToolCallPart, handsOn: boolean, { bytes, dialect }: ResultContext): Promise<ToolOutput> {
  const { result } = call
  const images = result?.images ?? []
  const text = normaliseText(answerText(call))
  if (images.length > 0 && !handsOn) {
    const note = images.length === 1 ? '(An image follows below)' : `(${images.length} images follow below)`
    return said(call, `${text}\n${note}`)
  }
  if (images.length === 0) return said(call, text)
  const pictures = images.map(async ({ mediaType, blob }) => dialect.resultImage(mediaType, await bytes(blob)))
  const silent = typeof result?.output === 'string' && isBlank(result.output)
  const pieces: ResultPiece[] = silent ? [] : [{ type: 'text', text }]
  return { type: 'content', value: [...pieces, ...(await Promise.all(pictures))] }
}

function said({ result }: ToolCallPart, value: string): ToolOutput {
  return { type: result?.outcome === 'ok' ? 'text' : 'error-text', value }
}

async function imagesOf(
  calls: readonly ToolCallPart[],
  context: ResultContext,
): Promise<readonly (TextContent | FileContent)[]> {
  const content: (TextContent | FileContent)[] = []
  for (const { toolName, result } of calls) {
    const images = result?.images ?? []
    if (images.length === 0) continue
    content.push({ type: 'text', text: `Images from the tool ${toolName}, in the order of its output:` })
    for (const { mediaType, blob } of images) content.push(await storedFile(blob, mediaType, context))
  }
  return content
}
