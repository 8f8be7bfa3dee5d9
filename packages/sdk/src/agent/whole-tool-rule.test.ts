import { expect, test } from 'vitest'
import { permissions } from '../permissions/index.ts'
import { agentWorld, results, stateWhere } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'

test('a tool that declares no operations can be allowed as a whole for the session', async () => {
  const send = defineTool({ name: 'send', description: 'Sends.', input: { type: 'object' }, execute: () => 'sent' })
  const call = { calls: [{ name: 'send' }] }
  const world = agentWorld([call, 'Sent.', call, 'Again.'], { tools: [send], permissions: permissions() })
  const session = await world.session()
  const run = session.run('Send it.')
  const { pending } = await stateWhere(session, ({ status }) => status === 'waiting')
  const [request] = pending.requests
  expect(request).toMatchObject({ suggestedRule: 'send', options: expect.arrayContaining(['allow-session']) })
  await session.resolve(request?.id ?? '', 'allow-session')
  await run.result

  expect(await session.run('And again.').result).toMatchObject({ reason: 'stop', text: 'Again.' })
  expect(results(session.state).map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
})
