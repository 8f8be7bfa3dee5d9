/** What requests for a model differ in. */
export interface ModelTraits {
  /** `budget`: it thinks within a number of tokens it is given. `adaptive`: as it sees fit, steered by an effort. */
  readonly thinking: 'never' | 'budget' | 'adaptive'
  /** Whether an adaptive model takes an order not to think. */
  readonly canStopThinking: boolean
  /** Whether it takes a schema for its reply. */
  readonly structuredOutput: boolean
  /** What is asked for when nobody says how long a reply may be. The API has no default of its own. */
  readonly maxTokens: number
}

/** By the version in the name; a Claude without one is taken for a current model. */
export function modelTraits(model: string): ModelTraits {
  const [claude, family, major, minor] = /claude-(?:([a-z]+)-?)?(?:(\d+)(?:[-.](\d{1,2}))?(?!\d))?/.exec(model) ?? []
  if (claude === undefined) {
    // Another vendor behind the same API.
    return { thinking: 'budget', canStopThinking: false, structuredOutput: false, maxTokens: 8192 }
  }
  const version = major === undefined ? Number.POSITIVE_INFINITY : Number(major) + Number(minor ?? 0) / 10
  return {
    thinking: version < 3.7 ? 'never' : version < 4.6 ? 'budget' : 'adaptive',
    canStopThinking: (family === 'opus' || family === 'sonnet') && version >= 4.6 && version <= 5,
    structuredOutput: version >= 4.5,
    maxTokens: version < 3.5 ? 4096 : version < 3.7 ? 8192 : 32_000,
  }
}
