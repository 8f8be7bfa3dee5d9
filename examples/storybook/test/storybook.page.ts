/** What Storybook says of a story that was rendered and played. */
export interface Played {
  readonly status: string
  readonly errors: readonly string[]
}

declare global {
  interface Window {
    /** Put there by `listen`. */
    storybook: {
      readonly firstShown: Promise<Played>
      show(id: string, type: 'story' | 'docs'): Promise<Played>
    }
    axe: { run(selector: string): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
  }
}

interface Channel {
  on(event: string, listener: (payload: { status?: string; message?: string }) => void): void
  emit(event: string, payload: unknown): void
}

/** Runs in the page before anything else, and speaks to Storybook's preview in the manager's place. */
export function listen(): void {
  let channel: Channel | undefined
  let errors: string[] = []
  let end: (played: Played) => void = () => {}

  const next = (): Promise<Played> => {
    errors = []
    return new Promise((resolve) => {
      end = resolve
    })
  }

  function hear(made: Channel): void {
    channel = made
    made.on('playFunctionThrewException', ({ message }) => errors.push(String(message)))
    made.on('unhandledErrorsWhilePlaying', () => errors.push('There was an unhandled error.'))
    for (const event of ['storyThrewException', 'storyErrored', 'storyMissing']) {
      made.on(event, ({ message }) => end({ status: event, errors: [...errors, String(message)] }))
    }
    made.on('storyFinished', ({ status }) => end({ status: String(status), errors }))
    made.on('docsRendered', () => end({ status: 'success', errors }))
  }

  window.storybook = {
    firstShown: next(),
    show(storyId, viewMode) {
      const played = next()
      channel?.emit('setCurrentStory', { storyId, viewMode })
      return played
    },
  }
  Object.defineProperty(window, '__STORYBOOK_ADDONS_CHANNEL__', { get: () => channel, set: hear })
}
