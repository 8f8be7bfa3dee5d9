import { defineTool } from '@stepwell/sdk'
import { fireEvent } from '@testing-library/dom'
import type { ComponentType } from 'react'
import { act, version } from 'react'
import * as jsxRuntime from 'react/jsx-runtime'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { type Block, guides } from '../../sdk/test/docs/blocks.ts'
import { type CompiledBlocks, compile, transpiled } from '../../sdk/test/docs/compile.ts'
import { WireDouble } from '../../sdk/test/fixtures/wire-double.ts'
import { AgentProvider } from '../src/index.ts'
import { renderStrict, settled, unmountAll } from './render.tsx'

/** It is loaded as it is installed, with the React that is installed. */
const hasAssistantUI = !version.startsWith('18.')
const ASSISTANT_UI = 'docs/assistant-ui.md'

/** What blocks import. */
const modules: Readonly<Record<string, () => Promise<unknown>>> = {
  react: () => import('react'),
  'react/jsx-runtime': async () => jsxRuntime,
  zod: () => import('zod'),
  '@stepwell/sdk': () => import('@stepwell/sdk'),
  '@stepwell/sdk/client': () => import('@stepwell/sdk/client'),
  '@stepwell/sdk/testing': () => import('@stepwell/sdk/testing'),
  '@stepwell/sdk/view': () => import('@stepwell/sdk/view'),
  '@stepwell/react': () => import('../src/index.ts'),
  '@stepwell/react/devtools': () => import('../src/devtools/index.ts'),
  ...(hasAssistantUI && {
    '@assistant-ui/react': () => import('@assistant-ui/react'),
    '@stepwell/react/assistant-ui': () => import('../src/assistant-ui/index.ts'),
  }),
}

const blocks = guides('tsx').flatMap(({ path, blocks }) => (path === ASSISTANT_UI && !hasAssistantUI ? [] : blocks))
const hooks = guides().flatMap(({ path }) => /^docs\/hooks\/(.+)\.md$/.exec(path)?.[1] ?? [])
const loaded: Record<string, unknown> = {}
let compiled: CompiledBlocks

beforeAll(async () => {
  for (const [name, load] of Object.entries(modules)) loaded[name] = await load()
  compiled = compile(blocks)
}, 120_000)

afterEach(unmountAll)

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: z.object({ city: z.string() }),
  needsApproval: true,
  execute: () => 'Rain.',
})

/** A block's `App`. */
function appOf(block: Block): ComponentType {
  const exports: { App?: ComponentType } = {}
  new Function('require', 'exports', transpiled(block))((name: string) => loaded[name], exports)
  if (exports.App === undefined) throw new Error(`${block.name} exports no App.`)
  return exports.App
}

describe.each(blocks)('$name', (block) => {
  it('compiles', () => {
    expect(compiled.problems(block)).toEqual([])
  })

  it('renders, and goes on while a session has a reply, a call and a request', async () => {
    const { agent, store } = agentWorld(
      [
        { reasoning: 'Hm.', text: 'Let me see.', calls: [{ name: 'weather', input: { city: 'Oslo' } }] },
        'Hello.',
        'Hello.',
      ],
      { tools: [weather] },
    )
    vi.stubGlobal('fetch', new WireDouble(agent, store).fetch)
    const App = appOf(block)
    const { container } = renderStrict(
      <AgentProvider agent={agent} sessionId="support-42">
        <App />
      </AgentProvider>,
    )
    await settled()
    const session = await agent.session('support-42')
    const run = session.run('Hi')
    await settled()
    for (const field of container.querySelectorAll('textarea')) {
      act(() => fireEvent.change(field, { target: { value: 'And?' } }))
      act(() => fireEvent.keyDown(field, { key: 'Enter' }))
    }
    await act(async () => {
      for (const { id } of session.state.pending.requests) await session.resolve(id, 'allow-once')
    })
    await settled()
    await act(async () => void (await session.abort().catch(() => {})))
    await act(() => run.result)
    await settled()
  })
})

it('every hook and component has its page', () => {
  const names = Object.keys(loaded['@stepwell/react'] as object).filter((name) => name !== 'preloadSession')
  expect([...hooks].sort()).toEqual(names.sort())
})
