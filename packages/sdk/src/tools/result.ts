import { errorInfo, thrownText } from '../protocol/errors.ts'
import { type JsonValue, normaliseText } from '../protocol/json.ts'
import type { BlobRef, ResultImage, ToolOutcome } from '../protocol/messages.ts'
import { outputText } from '../protocol/text.ts'
import { isToolContent, type ToolContentPart } from './content.ts'
import { serialise } from './serialise.ts'
import type { Tool, ToolContext } from './tool.ts'
import { truncateText } from './truncate.ts'

/** What came of a call, before it is stored. */
export interface Outcome {
  readonly outcome: ToolOutcome
  readonly output: JsonValue
  readonly code?: string
  readonly images?: readonly ImagePart[]
}

type ImagePart = Extract<ToolContentPart, { type: 'image' }>

export const NEVER_STARTED: Outcome = {
  outcome: 'aborted',
  output: 'Not started: the run was stopped before. Nothing was done.',
}

export const ABANDONED: Outcome = {
  outcome: 'aborted',
  output: 'The run was stopped and this call was abandoned: its outcome is unknown. Check before you repeat it.',
}

export function timedOut(tool: Tool): Outcome {
  const output = `Tool "${tool.name}" did not answer within ${tool.timeoutMs / 1000} s and was abandoned: its outcome is unknown. Check before you repeat it.`
  return { outcome: 'timeout', code: 'tool.timeout', output }
}

/** What a tool threw after the run was stopped: most often that it obeyed. */
export function stopped(error: unknown): Outcome {
  return { outcome: 'aborted', output: `The run was stopped while this call was running: ${failureText(error)}` }
}

/** Whatever a tool returned. What cannot be read becomes an error that names the tool. */
export function returned(toolName: string, value: unknown): Outcome {
  if (isToolContent(value)) {
    const texts = value.parts.flatMap((part) => (part.type === 'text' ? [normaliseText(part.text)] : []))
    const images = value.parts.filter((part) => part.type === 'image')
    return { outcome: 'ok', output: texts.join('\n'), images }
  }
  try {
    return { outcome: 'ok', output: serialise(value) }
  } catch (error) {
    const output = `Tool "${toolName}" finished, but its result could not be read: ${failureText(error)}`
    return { outcome: 'error', code: 'tool.failed', output }
  }
}

/** Whatever a tool threw. */
export function thrown(toolName: string, error: unknown): Outcome {
  const { code } = errorInfo(error)
  const output =
    error === undefined || error === null
      ? `Tool "${toolName}" failed without saying why.`
      : `Tool "${toolName}" failed: ${failureText(error)}`
  return { outcome: 'error', code: code === 'internal' ? 'tool.failed' : code, output }
}

function failureText(error: unknown): string {
  if (error instanceof Error || typeof error !== 'object') return normaliseText(thrownText(error))
  try {
    return outputText(serialise(error))
  } catch {
    return normaliseText(thrownText(error))
  }
}

/** An output within its limit. `whole` is there when something was cut. */
export interface Limited {
  readonly output: JsonValue
  readonly truncatedTo?: number
  readonly whole?: string
}

/** `max`: UTF-16 units of the text the model is told, marker not counted. */
export function limited(output: JsonValue, max: number): Limited {
  const whole = outputText(output)
  if (whole.length <= max) return { output }
  const kept = truncateText(whole, max)
  const cut = (whole.length - kept.length).toLocaleString('en')
  const marker = `[cut: ${cut} of ${whole.length.toLocaleString('en')} characters are left out]`
  return { output: `${kept}\n${marker}`, truncatedTo: kept.length, whole }
}

/** What is kept beside the result. */
export interface Kept {
  readonly full?: BlobRef
  readonly images: readonly ResultImage[]
  /** What could not be kept, to be told with the result. */
  readonly lost: readonly string[]
}

/** Stores the whole text and the images. Never rejects. */
export async function keep(
  blobs: ToolContext['blobs'] | undefined,
  whole: string | undefined,
  images: readonly ImagePart[],
): Promise<Kept> {
  const lost: string[] = []
  async function put(what: string, bytes: Uint8Array, mediaType: string): Promise<BlobRef | undefined> {
    try {
      if (blobs !== undefined) return await blobs.put(bytes, mediaType)
      lost.push(`[${what} could not be kept: there is nowhere to keep it]`)
    } catch (error) {
      lost.push(`[${what} could not be kept: ${thrownText(error)}]`)
    }
    return undefined
  }
  const full =
    whole === undefined || blobs === undefined
      ? undefined
      : await put('the full text', new TextEncoder().encode(whole), 'text/plain')
  const stored: ResultImage[] = []
  for (const { mediaType, bytes } of images) {
    const blob = await put('an image', bytes, mediaType)
    if (blob !== undefined) stored.push({ mediaType, blob })
  }
  return { ...(full !== undefined && { full }), images: stored, lost }
}
