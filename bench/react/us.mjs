// Stepwell as its guide shows a whole chat: rows by id, behind a client. The server's frames are those of its wire.
import { AgentProvider, MessageParts, useMessageIds } from '@stepwell/react'
import { initialState } from '@stepwell/sdk'
import { createClient } from '@stepwell/sdk/client'
import { createSessionView } from '@stepwell/sdk/view'
import { createElement as h, memo, useMemo } from 'react'
import { Feed, frames } from './stream.mjs'

const MODEL = { provider: 'bench', model: 'bench', api: 'bench' }
const RUN = { runId: 'run' }
const TURN = { ...RUN, turn: 1, attempt: 1, messageId: 'reply', purpose: 'reply', model: MODEL }

export function serve(history) {
  let seq = history.length
  let from = 0
  const messages = history.map(({ id, text }, at) => ({ role: 'user', id, at, parts: [{ type: 'text', text }] }))
  const state = { ...initialState('s'), seq, history: messages }
  const batch = (...events) => {
    const prev = seq
    const sequenced = events.map((event) => ({ ...event, seq: ++seq, at: seq }))
    return frames({ session: 's', prev, head: seq, events: sequenced })
  }
  const server = {
    feed: undefined,
    answer({ pathname }) {
      if (pathname.endsWith('/events')) {
        server.feed = new Feed()
        return server.feed.response
      }
      return Response.json({ row: state.row, seq: state.seq, state })
    },
    begin: () =>
      batch({ type: 'run-start', ...RUN, trigger: 'input', inputIds: [], config: {} }, { type: 'turn-start', ...TURN }),
    delta(more) {
      const delta = batch({ type: 'text-delta', part: 0, from, text: more })
      from += more.length
      return delta
    },
    end: (text) =>
      batch(
        {
          type: 'message',
          message: { role: 'assistant', id: 'reply', at: seq, ...RUN, parts: [{ type: 'text', text }] },
        },
        { type: 'finish', ...RUN, reason: 'stop', usage: state.usage.run },
      ),
  }
  return server
}

export function App({ history, onText }) {
  const view = useMemo(() => {
    const client = createClient({ url: 'http://bench/api', fetch: (...request) => globalThis.fetch(...request) })
    return createSessionView(client.session('s'), { window: history.length + 10 })
  }, [history])
  const renderers = useMemo(() => ({ text: (props) => h(Text, { ...props, onText }) }), [onText])
  return h(AgentProvider, { view }, h(Thread, { renderers }))
}

function Thread({ renderers }) {
  return useMessageIds().map((id) => h(Row, { key: id, id, renderers }))
}

const Row = memo(({ id, renderers }) => h('p', null, h(MessageParts, { id, renderers })))

function Text({ part, isStreaming, onText }) {
  if (isStreaming) onText()
  return part.text
}
