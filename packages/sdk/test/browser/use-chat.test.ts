import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { messageText } from '../../src/protocol/text.ts'
import type { ModelRequest } from '../../src/providers/provider.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { providerFailure, type ScriptedReply, scriptedModel } from '../../src/testing/scripted-model.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { createAGUIHandler } from '../../src/wire/ag-ui/index.ts'
import { createAISDKHandler } from '../../src/wire/ai-sdk/create-handler.ts'
import { createClient } from '../../src/wire/client/index.ts'
import { createAgentServer } from '../../src/wire/server/index.ts'
import { AGENTS, VERSIONS } from '../fixtures/ag-ui.ts'
import { startBrowser, type Tab, type TestBrowser } from '../fixtures/browser.ts'
import { runGate } from '../fixtures/run-gate.ts'
import { listen } from '../fixtures/served.ts'
import type * as page6 from './use-chat-6.page.ts'

type Functions = typeof page6

/** What the model waits for, if anything. */
const gate = runGate()

const tried = new Set<string>()

function reply({ messages }: ModelRequest): ScriptedReply {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const said = messages[asked]
  const text = said === undefined ? '' : messageText(said)
  const isFirst = asked === messages.length - 1
  switch (text) {
    case 'Weather?':
      return isFirst ? { reasoning: 'Hm.', text: 'Let me look.', calls: [{ name: 'weather' }] } : { text: 'Cold.' }
    case 'Pay':
      return isFirst ? { text: 'I need your word.', calls: [{ name: 'pay' }] } : { text: 'That is that.' }
    case 'Where?':
      return isFirst ? { calls: [{ name: 'where' }] } : { text: 'There.' }
    case 'Slowly':
      return isFirst ? { text: 'One.', calls: [{ name: 'weather' }] } : { text: 'Two three.', beforeEnd: gate.pass }
    case 'Badly':
      if (tried.has(text)) return { text: 'Good morning.' }
      tried.add(text)
      return { text: 'Goo', error: providerFailure('provider.overloaded', { retryable: true, retryAfterMs: 1 }) }
    default:
      return { text: `You said ${text}` }
  }
}

const input = { type: 'object' } as const
const store = memoryStore()
const agent = createAgent({
  model: scriptedModel([reply], { repeat: true }),
  store,
  tools: [
    defineTool({ name: 'weather', description: '', effect: 'read', input, execute: () => ({ celsius: 4 }) }),
    defineTool({ name: 'pay', description: '', input, needsApproval: true, execute: () => 'paid' }),
    defineTool({ name: 'where', description: '', effect: 'read', input }),
  ],
})
const authorize = () => ({ id: 'ada' })
const server = createAgentServer({ agent, authorize, basePath: '/agent' })
const agui = createAGUIHandler({ agent, authorize })

describe.each([6, 7] as const)('useChat of ai %i, in a page', (aiVersion) => {
  const handler = createAISDKHandler({ agent, authorize, aiVersion })
  let http: Awaited<ReturnType<typeof listen>>
  let browser: TestBrowser<Functions>
  let tab: Tab<Functions>
  let chats = 0
  let id = ''

  beforeAll(async () => {
    http = await listen((request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/ag-ui') return agui.fetch(request)
      return pathname.startsWith('/agent/') ? server.fetch(request) : handler.fetch(request)
    })
    browser = await startBrowser<Functions>(new URL(`./use-chat-${aiVersion}.page.ts`, import.meta.url))
    tab = await browser.open(http.url)
    await tab.page.route('**/api/chat**', (route) => route.continue())
  }, 60_000)

  afterAll(async () => {
    gate.open()
    await browser?.close()
    await http?.close()
  })

  /** A chat of its own, in which this was said. */
  async function say(text: string): Promise<void> {
    id = `chat-${aiVersion}-${++chats}`
    await tab.call('mount', id)
    await tab.call('send', text)
  }

  const shows = (...messages: string[]) =>
    expect.poll(() => tab.call('seen'), { timeout: 15_000 }).toEqual({ status: 'ready', messages })

  it('shows text and calls as they come', async () => {
    await say('Weather?')
    await shows('user: Weather?', 'assistant: Let me look. [weather output-available] Cold.')
    await tab.call('send', 'Thanks')
    await shows(
      'user: Weather?',
      'assistant: Let me look. [weather output-available] Cold.',
      'user: Thanks',
      'assistant: You said Thanks',
    )
    await tab.call('regenerate')
    await shows(
      'user: Weather?',
      'assistant: Let me look. [weather output-available] Cold.',
      'user: Thanks',
      'assistant: You said Thanks',
    )
    expect((await agent.session(id)).state.history).toHaveLength(5)
  })

  it.each([
    [true, 'output-available'],
    [false, 'output-denied'],
  ])('asks before a call, and goes on in the same message: approved %s', async (approved, state) => {
    await say('Pay')
    await shows('user: Pay', 'assistant: I need your word. [pay approval-requested]')
    await tab.call('decide', approved)
    await shows('user: Pay', `assistant: I need your word. [pay ${state}] That is that.`)
  })

  it('carries out a call itself', async () => {
    await say('Where?')
    await shows('user: Where?', 'assistant: [where output-available] There.')
    const [, message] = (await agent.session(id)).state.history
    expect(message).toMatchObject({ parts: [{ result: { outcome: 'ok', output: { lat: 59.9 } } }] })
  })

  it('is loaded anew in the middle of a run, and has lost nothing', async () => {
    gate.close()
    await say('Slowly')
    const begun = ['user: Slowly', 'assistant: One. [weather output-available] Two three.']
    await expect.poll(async () => (await tab.call('seen')).messages, { timeout: 15_000 }).toEqual(begun)
    await tab.page.reload()
    await tab.call('mount', id)
    await expect.poll(() => tab.call('seen'), { timeout: 15_000 }).toEqual({ status: 'streaming', messages: begun })
    gate.open()
    await shows(...begun)
    expect((await agent.session(id)).state.lastFinish?.reason).toBe('stop')
  })

  it('stops the run, not only its reading', async () => {
    gate.close()
    await say('Slowly')
    await expect
      .poll(async () => (await tab.call('seen')).messages, { timeout: 15_000 })
      .toContain('assistant: One. [weather output-available] Two three.')
    await tab.call('stop')
    await shows('user: Slowly', 'assistant: One. [weather output-available] Two three.')
    await expect.poll(async () => (await agent.session(id)).state.lastFinish?.reason).toBe('aborted')
    gate.open()
  })

  it('shows the words that a client of ours and those of AG-UI show, while all look on', async () => {
    gate.close()
    await say('Slowly')
    await expect.poll(async () => (await tab.call('seen')).status, { timeout: 15_000 }).toBe('streaming')
    const client = createClient({ url: `${http.url}/agent` })
    const session = client.session(id)
    session.subscribe(() => {})
    await session.ready
    const watching = VERSIONS.map((version) => AGENTS[version]({ url: `${http.url}/ag-ui`, threadId: id }))
    const watched = watching.map((client) => client.runAgent())
    const heard = () => watching.map(({ messages }) => messages.filter(({ role }) => role === 'assistant'))
    await expect.poll(() => heard().map((messages) => messages.at(-1)?.content)).toEqual(['Two three.', 'Two three.'])
    await session.send('Steered', { mode: 'steer' })
    gate.open()
    await Promise.all(watched)
    await expect.poll(() => session.state.status, { timeout: 15_000 }).toBe('idle')
    await shows('user: Slowly', 'assistant: One. [weather output-available] Two three. You said Steered')
    const ours = session.state.history.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    const words = ours.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    expect(words).toEqual(['One.', 'Two three.', 'You said Steered'])
    expect(heard().map((messages) => messages.map(({ content }) => content))).toEqual([words, words])
    await client.close()
  })

  if (aiVersion === 7) {
    it('shows a reply that was begun again once', async () => {
      await say('Badly')
      await shows('user: Badly', 'assistant: Good morning.')
    })
  }
})
