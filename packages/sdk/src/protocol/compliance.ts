/** Whose conversation a text belongs to. */
export interface ComplianceContext {
  readonly sessionId: string
  readonly principal?: string
  /** Who asked for the run. */
  readonly by?: string
}

/** What becomes of a text. `reason` is shown to people and stored: it must not repeat what was refused. */
export type ComplianceVerdict =
  | { readonly action: 'allow' }
  | { readonly action: 'mask'; readonly text: string; readonly reason: string }
  | { readonly action: 'block'; readonly reason: string }

/**
 * What may be shown of a reply, next after what was shown before. `mask`: something in `text` stands for something else.
 * `block`: `text` is the last that is shown, and the reply ends here.
 */
export type CheckedText =
  | { readonly action: 'allow'; readonly text: string }
  | { readonly action: 'mask'; readonly text: string; readonly reason: string }
  | { readonly action: 'block'; readonly text: string; readonly reason: string }

/**
 * Reads one text as it comes in. It may hold text back that it cannot judge yet, but no more than its longest match. How
 * the text was cut into pieces must not change what is shown in the end.
 */
export interface OutputCheck {
  push(text: string): CheckedText
  /** The text is complete: gives what was held back. */
  end(): CheckedText
}

/** What a model says: to the person, to itself, or a text in the input of a call. */
export type OutputKind = 'text' | 'reasoning' | 'tool-input'

/** Decides what may be said. Text reaches the log, and everyone who reads it, only through it. */
export interface CompliancePolicy {
  /** Judges a text that a person sends, before it is accepted. */
  input(text: string, context: ComplianceContext): ComplianceVerdict | Promise<ComplianceVerdict>
  /** A new check for each part of a reply. Checks are synchronous: readers wait for them. */
  output(kind: OutputKind, context: ComplianceContext): OutputCheck
}
