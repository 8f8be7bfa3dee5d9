import type { AssistantRuntime } from '@assistant-ui/react'
import { defineTool, initialState } from '@stepwell/sdk'
import { createSessionView } from '@stepwell/sdk/view'
import { act } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, it } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { fakeRemote } from '../../sdk/src/testing/fake-session.ts'
import { type StepwellRuntimeOptions, useStepwellRuntime } from '../src/assistant-ui/index.ts'
import { AgentProvider } from '../src/index.ts'
import { AssistantPage } from './assistant-ui-thread.tsx'
import { Probe, renderStrict, Seen, unmountAll, until } from './render.tsx'

afterEach(unmountAll)

const pay = defineTool({
  name: 'pay',
  description: '',
  input: { type: 'object' },
  needsApproval: true,
  execute: ({ euros }) => `paid ${euros}`,
})

function runtimeOf(options?: StepwellRuntimeOptions, target?: StepwellRuntimeOptions): () => AssistantRuntime {
  const seen = new Seen<AssistantRuntime>()
  const probe = <Probe useIt={() => useStepwellRuntime(options)} seen={seen} />
  renderStrict(target === undefined ? probe : <AgentProvider {...target}>{probe}</AgentProvider>)
  return () => seen.current
}

async function append(runtime: AssistantRuntime, text: string): Promise<void> {
  await act(async () => runtime.thread.append(text))
}

it('takes the session of the provider around it', async () => {
  const { agent } = agentWorld(['Hello.'])
  const runtime = runtimeOf(undefined, { agent, sessionId: 's' })
  await append(runtime(), 'Hi')
  await until(() => runtime().thread.getState().messages.at(-1)?.status?.type === 'complete')
  expect((await agent.session('s')).state.history).toHaveLength(2)
})

it('answers a call with another input, which assistant-ui has no word for', async () => {
  const { agent } = agentWorld([{ calls: [{ name: 'pay', input: { euros: 3 } }] }, 'Done.'], { tools: [pay] })
  const runtime = runtimeOf({ agent, sessionId: 's' })
  await append(runtime(), 'Pay')
  await until(() => runtime().thread.getState().messages.at(-1)?.status?.type === 'requires-action')
  expect(runtime().thread.getState().isRunning).toBe(false)
  // What is said meanwhile is read after the answer, and not after the run.
  await append(runtime(), 'And hurry')
  const { lanes } = (await agent.session('s')).state.pending
  expect([lanes.steer.length, lanes.queue.length]).toEqual([1, 0])
  const call = runtime().thread.getMessageByIndex(1).getMessagePartByIndex(0)
  act(() => call.resumeToolCall({ decision: 'allow-once', editedInput: { euros: 2 } }))
  await until(() => runtime().thread.getState().messages.at(-1)?.status?.type === 'complete')
  expect(call.getState()).toMatchObject({ result: 'paid 2', artifact: { ranWith: { euros: 2 } } })
})

it('renders on a server what is known there', async () => {
  const session = await agentWorld(['Hello.']).agent.session('s')
  await session.run('Hi').result
  const html = renderToString(<AssistantPage session={session} />)
  expect(html).toContain('<p>Hi</p>')
  expect(html).toContain('<p>Hello.</p>')
})

it('names threads, and tells why a list could not be read', async () => {
  const { agent } = agentWorld(['Hello.'])
  const session = await agent.session('s')
  await session.run('Hi').result
  const runtime = runtimeOf({ agent, sessionId: 's', onSwitch: () => {} })
  const titles = () => runtime().threads.getState().threadItems
  await until(() => runtime().threads.getState().threadIds.includes('s'))
  await act(() => runtime().threads.getItemById('s').rename('Greetings'))
  await until(() => titles().s?.title === 'Greetings')
  expect(session.state.row.title).toBe('Greetings')

  const told: string[] = []
  const broken = { session: () => session, sessions: () => Promise.reject(new Error('No.')), delete: async () => {} }
  const onError = ({ message }: { message: string }) => told.push(message)
  runtimeOf({ client: broken, sessionId: 's', onSwitch: () => {}, onError })
  await until(() => told.length > 0)
  expect(new Set(told)).toEqual(new Set(['No.']))
})

it('shows what could not be sent, loads earlier messages, and does not send where nothing can arrive', async () => {
  const older = Array.from({ length: 4 }, (_, i) => {
    return { role: 'user', id: `old-${i}`, at: i, parts: [{ type: 'text', text: `${i}` }] } as const
  })
  const remote = fakeRemote({ ...initialState('s'), seq: 1 }, older)
  const view = createSessionView(remote, { window: 3 })
  const runtime = runtimeOf({ view })
  const { thread } = runtime()
  act(() => remote.connect({ status: 'live' }))
  await append(runtime(), 'Hi')
  expect(thread.getState().messages.at(-1)?.metadata.custom).toEqual({ status: 'sending' })
  const error = { code: 'session.busy', message: 'Later.', retryable: true } as const
  await act(async () => remote.answer({ status: 'refused', error }))
  expect(thread.getState().messages.at(-1)?.metadata.custom).toEqual({ status: 'failed', error })

  expect(thread.getState().hasEarlier).toBe(true)
  await act(() => thread.loadEarlier())
  expect(
    thread
      .getState()
      .messages.map(({ id }) => id)
      .slice(0, 3),
  ).toEqual(['old-1', 'old-2', 'old-3'])

  act(() => thread.composer.setText('Hello?'))
  expect(thread.composer.getState().canSend).toBe(true)
  act(() => remote.connect({ status: 'failed', error }))
  expect(thread.composer.getState().canSend).toBe(false)
})
