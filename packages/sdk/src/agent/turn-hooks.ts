import { askHooks, textOf } from '../plugins/ask-hooks.ts'
import type { AssistantMessage } from '../protocol/messages.ts'
import { messageText } from '../protocol/text.ts'
import { MAX_SEND_BACKS } from './defaults.ts'
import { failedNotice, hookBase, hookHost, runHook } from './hook-host.ts'
import type { Ending, RunScope } from './run-scope.ts'

/** Before a turn's request is built. A reply that a dead owner left open is no new turn. */
export async function beforeTurn(run: RunScope): Promise<void> {
  if (run.openReply !== undefined || run.isStopping) return
  await askHooks(hookHost(run), 'turn:before', {
    event: () => ({ hook: 'turn:before', ...runHook(run), turn: run.turns + 1 }),
    take: (given) => void run.tellModel(textOf(given, 'note')),
  })
}

/** When the reply of a turn and the results of its calls are in the log. */
export async function afterTurn(run: RunScope): Promise<void> {
  const message = lastReply(run)
  if (message?.turn !== run.turns || run.isStopping) return
  await askHooks(hookHost(run), 'turn:after', { event: () => ({ hook: 'turn:after', ...runHook(run), message }) })
}

/** How a run ends that would end with `stop`; undefined when the model is sent back. */
export async function verifyStop(run: RunScope, ending: Ending): Promise<Ending | undefined> {
  const message = lastReply(run)
  const sentBack = run.state.notices.filter(({ runId, code }) => runId === run.id && code === 'stop.sent-back').length
  const objections: { readonly plugin: string; readonly text: string }[] = []
  await askHooks(hookHost(run), 'verify:stop', {
    event: () => ({
      hook: 'verify:stop',
      ...runHook(run),
      text: message === undefined ? '' : messageText(message),
      sentBack,
    }),
    take(given, { name: plugin }) {
      objections.push({ plugin, text: textOf(given, 'sendBack') })
      return 'last'
    },
  })
  const [objection] = objections
  if (objection === undefined || run.isStopping) return ending
  const { plugin, text } = objection
  if (sentBack >= MAX_SEND_BACKS) {
    const told = `The plugin "${plugin}" has sent the model back ${sentBack} times; the run ends all the same. It says: ${text}`
    run.notice('stop.unverified', told, { plugin })
    return ending
  }
  run.notice('stop.sent-back', `The plugin "${plugin}" sent the model back: ${text}`, { plugin })
  run.tellModel(text)
  return undefined
}

/** When the end of the run is in the log. It may be followed by the next one already. */
export async function stopped(run: RunScope): Promise<void> {
  const { lastFinish } = run.state
  if (lastFinish?.runId !== run.id) return
  const { reason, error, usage } = lastFinish
  const { stopped: _stopped, ...host } = hookHost(run)
  const failed: typeof host.failed = (...failure) => run.sequence([failedNotice(...failure)])
  await askHooks({ ...host, failed }, 'stop', {
    event: () => ({
      hook: 'stop',
      ...hookBase(run.state),
      runId: run.id,
      reason,
      ...(error && { error }),
      usage: usage.run,
    }),
  })
}

function lastReply({ id, state }: RunScope): AssistantMessage | undefined {
  return state.history.findLast(
    (message): message is AssistantMessage => message.role === 'assistant' && message.runId === id,
  )
}
