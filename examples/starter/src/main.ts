import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { agent } from './agent.ts'

const session = await agent.session('main')
const terminal = createInterface({ input: stdin, output: stdout, prompt: '\n> ' })

stdout.write(session.state.history.length > 0 ? 'Going on where you left off.\n' : 'Say something. Ctrl+D ends.\n')
terminal.prompt()
for await (const line of terminal) {
  if (line.trim() !== '') await answer(line)
  terminal.prompt()
}
await agent.close()

async function answer(input: string): Promise<void> {
  for await (const event of session.run(input)) {
    if (event.type === 'text-delta') stdout.write(event.text)
    else if (event.type === 'tool-start') stdout.write(`[${event.toolName}]\n`)
    else if (event.type === 'finish')
      stdout.write(event.reason === 'stop' ? '\n' : `\n(${event.reason}: ${event.error?.message ?? ''})\n`)
  }
}
