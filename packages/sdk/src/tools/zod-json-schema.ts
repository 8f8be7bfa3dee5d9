import * as core from 'zod/v4/core'

// Loaded on demand, for schemas that cannot convert themselves (zod/mini, zod before 4.2). In a file of its own, so that
// bundlers keep this one function of zod instead of all of it.
export const toJSONSchema = core.toJSONSchema
