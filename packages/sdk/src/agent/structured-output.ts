import type { InputIssue, ToolInputSchema } from '../tools/tool.ts'

/** What a reply holds as structured output; `value` is as the schema gives it. */
export type CheckedOutput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly InputIssue[] }

const MAX_ISSUES = 10

/**
 * Reads the text of a reply as one JSON object and checks it with its schema. Words and fences around the object are
 * forgiven; of several objects in fences the last that fits counts. Rejects with what the schema throws.
 */
export async function checkOutput(schema: ToolInputSchema<unknown>, text: string): Promise<CheckedOutput> {
  const whole = parse(text)
  if (whole !== undefined) return schema.validate(whole.value)
  let misfit: CheckedOutput | undefined
  for (const candidate of [...fenced(text).reverse(), braced(text)]) {
    const parsed = parse(candidate)
    if (parsed === undefined) continue
    const checked = await schema.validate(parsed.value)
    if (checked.ok) return checked
    misfit ??= checked
  }
  const message = text.trim() === '' ? 'There is no text.' : 'It is not JSON.'
  return misfit ?? { ok: false, issues: [{ path: '', message }] }
}

/** What the model is told when its output does not fit. */
export function outputReminder(issues: readonly InputIssue[]): string {
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `- ${path === '' ? '(the whole reply)' : path}: ${message}`)
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`)
  return [
    'Your last reply is not the JSON that was asked for:',
    ...lines,
    'Reply again, with the corrected JSON and nothing else.',
  ].join('\n')
}

function fenced(text: string): string[] {
  return [...text.matchAll(/^ *```[^\n`]*\n(.*?)\n *```/gms)].map(([, inside = '']) => inside)
}

function braced(text: string): string {
  return text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
