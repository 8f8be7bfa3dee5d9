import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'

/** Lets the model ask the person up to four questions. The answers are its result; unanswered ones are skipped. */
export function askUser(name = 'ask_user'): Tool {
  return defineTool({
    name,
    description:
      'Ask the person questions when there are several good ways to go on and only they can choose. ' +
      'Put everything into one call. They may also answer in their own words, or skip questions.',
    effect: 'read',
    request: 'question',
    input: {
      type: 'object',
      properties: {
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 4,
          items: {
            type: 'object',
            properties: {
              id: {
                type: 'string',
                minLength: 1,
                description: 'Names the question in the answers, unique in the call.',
              },
              header: { type: 'string', minLength: 1, maxLength: 12, description: 'At most 12 characters.' },
              question: { type: 'string', minLength: 1 },
              options: {
                type: 'array',
                minItems: 2,
                maxItems: 4,
                items: {
                  type: 'object',
                  properties: { label: { type: 'string', minLength: 1 }, description: { type: 'string' } },
                  required: ['label'],
                  additionalProperties: false,
                },
              },
              multiple: { type: 'boolean', description: 'Whether several options may be chosen.' },
            },
            required: ['id', 'header', 'question', 'options'],
            additionalProperties: false,
          },
        },
      },
      required: ['questions'],
      additionalProperties: false,
    },
  })
}
