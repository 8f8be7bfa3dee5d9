import type { EventDraft } from '../protocol/events.ts'
import type { FilePart } from '../protocol/messages.ts'
import type { NoticeCode } from '../protocol/notices.ts'
import type { Reply } from './reply.ts'
import type { RunScope } from './run-scope.ts'

/** What is written down beside the words of a whole reply: its files, whose bytes are stored first, and its warnings. */
export async function replyExtras(
  run: RunScope,
  reply: Reply,
): Promise<{ readonly files: readonly FilePart[]; readonly notices: readonly EventDraft[] }> {
  return { files: await storeFiles(run, reply), notices: replyNotices(run, reply) }
}

/** What a provider, the policy or a plugin can say of a reply in a notice of its own. */
const CODES: readonly NoticeCode[] = [
  'reply.masked',
  'reply.transformed',
  'provider.tool-omitted',
  'provider.setting-ignored',
  'provider.refusal',
]

/** What a provider, or the policy, wants people to know of the reply. */
export function replyNotices({ id: runId, state }: RunScope, { warnings }: Reply): EventDraft[] {
  // Once a run: a provider warns of the same with every request.
  const isKnown = (warned: string): boolean =>
    state.notices.some((notice) => notice.runId === runId && notice.text === warned)
  return warnings
    .filter(({ message }) => !isKnown(message))
    .map(({ code, message: text }) => {
      const own = CODES.find((known) => known === code)
      if (own !== undefined) return { type: 'notice', runId, code: own, text }
      return { type: 'notice', runId, code: 'provider.warning', text, details: { code } }
    })
}

function storeFiles(run: RunScope, { files }: Reply): Promise<FilePart[]> {
  return Promise.all(
    files.map(async ({ mediaType, bytes, name }): Promise<FilePart> => {
      const named = name === undefined ? {} : { name }
      try {
        const blob = await run.runtime.store.blobs.put(run.state.id, bytes, mediaType)
        return { type: 'file', mediaType, blob, ...named }
      } catch {
        return { type: 'file', mediaType, omitted: 'it could not be stored', ...named }
      }
    }),
  )
}
