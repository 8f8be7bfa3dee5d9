import { setTimeout } from 'node:timers/promises'
import { defineTool } from '@stepwell/sdk'
import { z } from 'zod'
import { readText } from './project.ts'

const STEP_MS = Number(process.env.STEPWELL_STEP_MS ?? 700)

/** A check of the project: its test, and whether it holds for these sums. */
const CHECKS = [
  { name: 'types of src/cart.ts', holds: () => true },
  { name: 'an empty cart costs nothing', holds: () => true },
  { name: 'one of each', holds: () => true },
  { name: 'two of one', holds: (source: string) => source.includes('item.count') },
  { name: 'ten percent off', holds: () => true },
  { name: 'format of 3 files', holds: () => true },
]

/** Acts as a test runner would: slow, and telling as it goes. It reads the sources, and runs nothing of them. */
export const runChecks = defineTool({
  name: 'run_checks',
  description: 'Runs the tests and checks of the project. Takes a few seconds.',
  effect: 'idempotent',
  input: z.object({}),
  async execute(_input, { sessionId, signal, output }) {
    const source = readText(sessionId, 'src/cart.ts')
    const failed: string[] = []
    output('> shop@1.0.0 check\n', { done: 0, total: CHECKS.length, unit: 'checks' })
    for (const [i, { name, holds }] of CHECKS.entries()) {
      await setTimeout(STEP_MS, undefined, { signal })
      if (!holds(source)) failed.push(name)
      output(`${holds(source) ? '✓' : '✗'} ${name}\n`, {
        done: i + 1,
        total: CHECKS.length,
        unit: 'checks',
        label: name,
      })
    }
    const passed = CHECKS.length - failed.length
    return { passed, failed }
  },
})
