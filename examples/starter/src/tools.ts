import { randomInt } from 'node:crypto'
import { defineTool } from '@stepwell/sdk'
import { z } from 'zod'

export const rollDice = defineTool({
  name: 'roll_dice',
  description: 'Rolls one dice.',
  input: z.object({ sides: z.number().int().min(2).max(1_000) }),
  effect: 'read',
  execute: ({ sides }) => ({ rolled: randomInt(1, sides + 1) }),
})
