import { type Message, messageText, resultText, type ToolCallPart } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { seqText } from './format.ts'
import { JsonTree } from './json-tree.tsx'
import { modelCalls, sentRequest } from './model-calls.ts'
import type { Place } from './place.ts'

/** What the model was sent in the call that was made last at this place. */
export function ModelPanel({ log, events, index, onChoose }: Place): ReactNode {
  const calls = modelCalls(events)
  const at = calls.findLastIndex((call) => call.index <= index)
  const call = calls[at]
  if (call === undefined) return <p className="swd-hint">No model was called up to here.</p>
  const { model, purpose, instructions, tools, settings, messages } = sentRequest(
    events,
    call,
    log.stateAfter(call.index),
  )
  const go = (to: number): void => onChoose(calls[to]?.index ?? index)
  return (
    <>
      <div className="swd-line">
        <button type="button" disabled={at === 0} onClick={() => go(at - 1)}>
          Call before
        </button>
        <span>
          Call {at + 1} of {calls.length}, at {seqText(call.start.seq)}
        </span>
        <button type="button" disabled={at === calls.length - 1} onClick={() => go(at + 1)}>
          Call after
        </button>
      </div>
      <dl className="swd-facts">
        <dt>Model</dt>
        <dd>
          {model.provider} · {model.model} · {model.api}
        </dd>
        <dt>Purpose</dt>
        <dd>
          {purpose}, turn {call.start.turn}, attempt {call.start.attempt}
        </dd>
        <dt>Tools</dt>
        <dd>{tools.length === 0 ? 'none' : tools.join(', ')}</dd>
      </dl>
      {settings && <JsonTree name="settings" value={settings} />}
      {instructions !== undefined && <Text from="instructions" text={instructions} />}
      {messages.map((message) => (
        <Text key={message.id} from={message.role} text={messageText(message)} message={message} />
      ))}
    </>
  )
}

function callsOf(message: Message | undefined): ToolCallPart[] {
  if (message?.role !== 'assistant') return []
  return message.parts.filter((part): part is ToolCallPart => part.type === 'tool-call')
}

/** A call and its answer, as the model has them before it. */
function Call({ part: { toolName, input, inputText, result } }: { readonly part: ToolCallPart }): ReactNode {
  const answer = result === undefined ? 'interrupted, outcome unknown' : resultText(result)
  return <pre>{`${toolName}(${inputText ?? JSON.stringify(input)})\n→ ${answer}`}</pre>
}

interface TextProps {
  readonly from: string
  readonly text: string
  readonly message?: Message
}

function Text({ from, text, message }: TextProps): ReactNode {
  return (
    <article className="swd-message">
      <h3>{from}</h3>
      {text !== '' && <p>{text}</p>}
      {callsOf(message).map((part) => (
        <Call key={part.callId} part={part} />
      ))}
      {message && <JsonTree value={message} name="message" />}
    </article>
  )
}
