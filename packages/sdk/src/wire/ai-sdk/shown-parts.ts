import { isTextPart, isToolPart, type UIPart } from './ui-message.ts'

/** A part as a page has it. */
export interface ShownPart {
  part: UIPart
  /** Of a text that can be added to. */
  openId?: string
  /** No part of the reply as it is now: taken back, or beside it. */
  isExtra?: true
}

/** Whether what a page has is this part, or an earlier form of it. */
export function isEarlier(shown: UIPart, part: UIPart): boolean {
  if (shown === part) return true
  if (isTextPart(shown)) return shown.type === part.type && isTextPart(part) && part.text.startsWith(shown.text)
  if (isToolPart(shown)) {
    if (!isToolPart(part) || shown.type !== part.type || shown.toolCallId !== part.toolCallId) return false
    return part.state !== 'input-streaming' || ('rawInput' in shown && part.rawInput.startsWith(shown.rawInput ?? ''))
  }
  if (shown.type !== part.type) return false
  if ('sourceId' in shown) return 'sourceId' in part && shown.sourceId === part.sourceId
  if ('url' in shown) return 'url' in part && shown.url === part.url
  return 'id' in shown ? 'id' in part && shown.id === part.id : true
}

/** What a page already has of a reply that goes on: which of its parts are parts of it. */
export function align(had: readonly UIPart[], parts: readonly UIPart[]): ShownPart[] {
  const calls = new Set(parts.filter(isToolPart).map(({ toolCallId }) => toolCallId))
  const steps = stepsOf(parts)
  const hadSteps = stepsOf(had)
  const last = hadSteps.length - 1
  let next = 0
  return hadSteps.flatMap((step, i) => {
    const isOfReply = step.some((part) => isTextPart(part) || (isToolPart(part) && calls.has(part.toolCallId)))
    const areBothEmpty = !step.some(isOfModel) && steps[next]?.some(isOfModel) === false
    const wanted = isOfReply || areBothEmpty ? steps[next++] : undefined
    if (wanted === undefined) return step.map(extra)
    return i < last || isWhole(step) ? wholeStep(step, wanted, i === last) : begunStep(step, wanted)
  })
}

function isOfModel(part: UIPart): boolean {
  return isTextPart(part) || isToolPart(part)
}

/** Whether the page was told that the model is done with the step: only then its calls go on. */
export function isWhole(step: readonly UIPart[]): boolean {
  return step.some((part) => isToolPart(part) && part.state !== 'input-streaming')
}

function wholeStep(step: readonly UIPart[], wanted: readonly UIPart[], isLast: boolean): ShownPart[] {
  const has = (part: UIPart): UIPart | undefined => step.find((known) => isEarlier(known, part))
  const said = isLast ? wanted.filter((part) => part.type !== 'data-user-message' || has(part) !== undefined) : wanted
  return said.map((part) => ({ part: isToolPart(part) ? (has(part) ?? part) : part }))
}

function begunStep(step: readonly UIPart[], wanted: readonly UIPart[]): ShownPart[] {
  let next = 0
  return step.map((part) => {
    const now = wanted[next]
    if (now === undefined || !isEarlier(part, now)) return extra(part)
    next++
    return { part }
  })
}

function extra(part: UIPart): ShownPart {
  return { part, isExtra: true }
}

/** Each begins with its `step-start`. What stands before the first is none. */
function stepsOf(parts: readonly UIPart[]): UIPart[][] {
  const steps: UIPart[][] = []
  for (const part of parts) {
    if (part.type === 'step-start' || steps.length === 0) steps.push([part])
    else steps.at(-1)?.push(part)
  }
  return steps
}
