import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'

/** Lets the model hand in a plan, which a person approves, sends back with a note, or rejects. */
export function submitPlan(name = 'submit_plan'): Tool {
  return defineTool({
    name,
    description:
      'Hand in your plan before you change anything. The person approves it, sends it back with a note, or rejects it.',
    effect: 'read',
    request: 'plan',
    input: {
      type: 'object',
      properties: { plan: { type: 'string', minLength: 1, description: 'The whole plan, in Markdown.' } },
      required: ['plan'],
      additionalProperties: false,
    },
  })
}
