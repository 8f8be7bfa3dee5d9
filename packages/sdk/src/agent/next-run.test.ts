import { expect, test } from 'vitest'
import { agentWorld, stateWhere } from '../testing/agent-world.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'

test('a run can be stopped while the context of the next one never comes', async () => {
  const [talking, asked] = [hold(), hold()]
  let runs = 0
  const world = agentWorld([{ text: 'Yes.', beforeEnd: () => talking.opened }, 'And again.'], {
    context() {
      if (++runs !== 2) return {}
      asked.open()
      return never()
    },
  })
  const session = await world.session()
  const run = session.run('One')
  await stateWhere(session, ({ pending }) => pending.message !== undefined)
  const two = await session.send('Two', { mode: 'queue' })
  talking.open()
  await asked.opened
  const { returned } = await session.abort()
  expect(returned).toMatchObject([{ inputId: two.inputId }])
  expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Yes.' })
  expect(await session.run('Three').result).toMatchObject({ reason: 'stop', text: 'And again.' })
})
