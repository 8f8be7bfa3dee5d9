import { askHooks, textOf } from '../plugins/ask-hooks.ts'
import type { InputChangeCommand, InputCommand } from '../protocol/commands.ts'
import type { EventDraft } from '../protocol/events.ts'
import { normaliseText } from '../protocol/json.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { SessionState } from '../protocol/state.ts'
import { debugLog, failedNotice, hookBase } from './hook-host.ts'
import type { AgentRuntime } from './runtime.ts'

/** What a person sends as plugins want it, and what people are told of that. */
export async function transformedInput<C extends InputCommand | InputChangeCommand>(
  runtime: AgentRuntime,
  state: SessionState,
  command: C,
): Promise<{ readonly command: C; readonly notices: readonly EventDraft[] }> {
  const notices: EventDraft[] = []
  const { parts } = command
  if (parts === undefined) return { command, notices }
  const by = command.by === undefined ? {} : { by: command.by }
  const inputId = command.type === 'input' ? command.id : command.inputId
  let current = parts
  await askHooks(
    {
      plugins: runtime.plugins,
      clock: runtime.clock,
      context: undefined,
      history: state.history,
      log: debugLog(runtime),
      failed: (...failure) => notices.push({ ...failedNotice(...failure), ...by }),
    },
    'transform:user-input',
    {
      event: () => ({
        hook: 'transform:user-input',
        ...hookBase(state),
        inputId,
        ...by,
        text: textIn(current),
        parts: current,
      }),
      take(given, { name: plugin }) {
        const text = normaliseText(textOf(given, 'text'))
        if (text === textIn(current)) return undefined
        const next = withText(current, text)
        if (next.length === 0) throw new TypeError('it left nothing of the input')
        current = next
        const told = `The plugin "${plugin}" changed the input.`
        notices.push({ type: 'notice', code: 'input.transformed', text: told, details: { plugin, inputId }, ...by })
        return undefined
      },
    },
  )
  return { command: current === parts ? command : { ...command, parts: current }, notices }
}

function textIn(parts: readonly UserPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The new text stands where the first one stood, or first. */
function withText(parts: readonly UserPart[], text: string): UserPart[] {
  const at = Math.max(
    0,
    parts.findIndex(({ type }) => type === 'text'),
  )
  const others = (some: readonly UserPart[]): UserPart[] => some.filter(({ type }) => type !== 'text')
  const own: UserPart[] = text === '' ? [] : [{ type: 'text', text }]
  return [...others(parts.slice(0, at)), ...own, ...others(parts.slice(at))]
}
