import type {
  CheckedText,
  ComplianceContext,
  CompliancePolicy,
  ComplianceVerdict,
  OutputCheck,
} from '../protocol/compliance.ts'
import type { UserPart } from '../protocol/messages.ts'

export type ScreenedInput =
  | { readonly action: 'allow' }
  | { readonly action: 'mask'; readonly parts: readonly UserPart[]; readonly reasons: readonly string[] }
  | { readonly action: 'block'; readonly reason: string }

/**
 * Asks a policy about an input: its texts, those of its attachments, and their names. Paths, addresses and bytes are not
 * asked about. Rejects when the policy does.
 */
export async function screenInput(
  policy: CompliancePolicy,
  parts: readonly UserPart[],
  context: ComplianceContext,
): Promise<ScreenedInput> {
  const screened: UserPart[] = []
  const reasons = new Set<string>()
  for (const part of parts) {
    let now = part
    for (const field of ['text', 'name', 'title'] as const) {
      const text = (part as { readonly [key in typeof field]?: string })[field]
      if (text === undefined || text === '') continue
      const verdict = await verdictOn(policy, text, context)
      if (verdict.action === 'block') return verdict
      if (verdict.action === 'allow') continue
      reasons.add(verdict.reason)
      now = { ...now, [field]: verdict.text }
    }
    screened.push(now)
  }
  return reasons.size === 0 ? { action: 'allow' } : { action: 'mask', parts: screened, reasons: [...reasons] }
}

/** What a policy says of a text. Rejects when the policy does, and when its answer is none: neither lets anything through. */
export async function verdictOn(
  policy: CompliancePolicy,
  text: string,
  context: ComplianceContext,
): Promise<ComplianceVerdict> {
  const verdict = await policy.input(text, context)
  if (verdict?.action === 'allow') return verdict
  const isAnswer = verdict?.action === 'block' || (verdict?.action === 'mask' && typeof verdict.text === 'string')
  if (isAnswer && typeof verdict.reason === 'string') return verdict
  throw new TypeError(
    "The policy's answer is none of { action: 'allow' }, { action: 'mask', text, reason } and { action: 'block', reason }.",
  )
}

/** Text of a reply that may be shown. */
export interface ShownText {
  readonly part: number
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

/**
 * A policy at work on one reply, between the provider and the log. After a block it gives nothing but empty texts. It
 * throws what the policy throws.
 */
export class ReplyScreen {
  /** Why something was masked so far. */
  readonly masked = new Set<string>()
  /** Parts that are not shown as the model wrote them: its opaque state of them says something else. */
  readonly maskedParts = new Set<number>()
  readonly #policy: CompliancePolicy
  readonly #context: ComplianceContext
  readonly #open = new Map<number, { readonly kind: ShownText['kind']; readonly check: OutputCheck }>()
  #blocked: string | undefined

  constructor(policy: CompliancePolicy, context: ComplianceContext) {
    this.#policy = policy
    this.#context = context
  }

  /** Why the reply was refused, once it is. */
  get blocked(): string | undefined {
    return this.#blocked
  }

  /** Takes what came of a part; gives what may be shown of it now. */
  push({ part, kind, text }: ShownText): string {
    let open = this.#open.get(part)
    if (open === undefined) {
      open = { kind, check: this.#policy.output(kind, this.#context) }
      this.#open.set(part, open)
    }
    return this.#shown(open.check.push(text), part)
  }

  /** The reply is over, whole or cut: gives what was held back, in the order of the parts. */
  end(): ShownText[] {
    const rest = [...this.#open].sort(([a], [b]) => a - b)
    this.#open.clear()
    return rest
      .map(([part, { kind, check }]) => ({ part, kind, text: this.#shown(check.end(), part) }))
      .filter(({ text }) => text !== '')
  }

  /**
   * Takes the complete input of a call as the model wrote it, and gives the one to go on with. In JSON every text, number
   * and key is checked by itself, so that no escape hides anything; what is no JSON is checked as it stands. Nothing is
   * left of an input that is blocked.
   */
  toolInput(part: number, inputText: string): string {
    const shown = isJson(inputText)
      ? checkedJson(inputText, (text) => this.#whole(part, text))
      : this.#whole(part, inputText)
    return this.#blocked === undefined ? shown : ''
  }

  #whole(part: number, text: string): string {
    const check = this.#policy.output('tool-input', this.#context)
    return this.#shown(check.push(text), part) + this.#shown(check.end(), part)
  }

  #shown(checked: CheckedText, part: number): string {
    if (this.#blocked !== undefined) return ''
    if (typeof checked?.text !== 'string' || !isKnown(checked)) {
      throw new TypeError("A check's answer is { action, text }, with a reason for 'mask' and 'block', and at once.")
    }
    if (checked.action === 'mask') {
      this.masked.add(checked.reason)
      this.maskedParts.add(part)
    }
    if (checked.action === 'block') this.#blocked = checked.reason
    return checked.text
  }
}

/**
 * JSON with every text, number and key of it checked; as it was where that changes nothing and there is nothing else in
 * it. What stands under a key that comes again is read by nobody, and does not go on.
 */
function checkedJson(json: string, check: (text: string) => string): string {
  let isChanged = false
  let texts = 0
  const read = (text: string): string => {
    const shown = check(text)
    isChanged ||= shown !== text
    return shown
  }
  const checked: unknown = JSON.parse(json, (_key, value: unknown) => {
    if (typeof value === 'string') {
      texts++
      return read(value)
    }
    if (typeof value === 'number') {
      const shown = read(String(value))
      return shown === String(value) ? value : shown
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const entries = Object.entries(value)
    texts += entries.length
    return Object.fromEntries(entries.map(([key, item]) => [read(key), item]))
  })
  const written = (json.replace(/\\./g, '').split('"').length - 1) / 2
  return isChanged || texts < written ? JSON.stringify(checked) : json
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isKnown(checked: CheckedText): boolean {
  if (checked.action === 'allow') return true
  return (checked.action === 'mask' || checked.action === 'block') && typeof checked.reason === 'string'
}
