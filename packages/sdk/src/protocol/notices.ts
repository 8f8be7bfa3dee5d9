/**
 * What can happen to a person's request without their asking. The list is closed, and only ever grows: a UI can show
 * each in its own words. `docs/finish-reasons.md` has all of them.
 */
export const NOTICE_CODES = [
  /** The policy replaced something in an input before it was accepted. */
  'input.masked',
  /** The policy replaced something in a reply. */
  'reply.masked',
  /** A plugin replaced an input before it was accepted. */
  'input.transformed',
  /** A plugin replaced something in a reply. */
  'reply.transformed',
  /** A plugin was not content with the reply, and the model was sent back. */
  'stop.sent-back',
  /** A plugin is still not content; the model was sent back as often as it may be, and the run ended. */
  'stop.unverified',
  /** A hook of a plugin failed or was too slow; `details` has both names. */
  'hook.failed',
  /** The reply said nothing, and the model was asked once more. */
  'reply.blank',
  /** The reply did not fit the schema, and the model was asked again. */
  'output.invalid',
  /** The turns are used up: the model may only sum up what it has. */
  'turns.grace',
  /** Another model answers, since the one that was asked cannot. */
  'model.fallback',
  /** An answer was to hold for longer, and could not be kept. */
  'permission.not-remembered',
  /** A provider's own tool that this API does not have. */
  'provider.tool-omitted',
  /** A setting that this API does not take. */
  'provider.setting-ignored',
  /** The provider explains why it refused. */
  'provider.refusal',
  /** Anything else a provider warns of; `details.code` has its word. */
  'provider.warning',
] as const

export type NoticeCode = (typeof NOTICE_CODES)[number]
