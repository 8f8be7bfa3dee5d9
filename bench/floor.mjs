// The least that can be done: fetch, the parser everyone uses, JSON.parse, and adding lengths.
import { createParser } from 'eventsource-parser'

export async function run({ baseURL, model }) {
  const seen = { text: 0, input: 0, calls: 0 }
  for (const messages = [{ role: 'user', content: 'Go.' }]; ; messages.push({ role: 'tool' })) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model, messages }),
    })
    const decoder = new TextDecoder()
    let call = ''
    const parser = createParser({
      onEvent({ data }) {
        const delta = data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta
        if (delta?.content) seen.text += delta.content.length
        if (delta?.tool_calls) call += delta.tool_calls[0].function.arguments
      },
    })
    for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }))
    if (call === '') return seen
    seen.calls += JSON.parse(call).name === 'note' ? 1 : 0
    seen.input += call.length
  }
}
