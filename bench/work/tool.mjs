/** The input of the one tool every contestant has, `save`, as JSON Schema. */
export const saveInput = {
  type: 'object',
  properties: { name: { type: 'string' }, content: { type: 'string' } },
  required: ['name', 'content'],
}
