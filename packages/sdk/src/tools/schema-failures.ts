import { ToolError } from '../protocol/errors.ts'
import { invalidSchema } from './invalid-schema.ts'
import type { JsonSchemaConverter } from './standard-schema.ts'

/** The error for a schema whose own library is needed to convert it and is not there. */
export function missingZod(toolName: string, cause: unknown): ToolError {
  const hint = 'Install zod 4.2 or later beside this package.'
  const message = `The input schema of tool "${toolName}" needs zod, which cannot be loaded. ${hint}`
  return new ToolError('tool.missing-zod', message, { cause })
}

/** The error for a schema that JSON Schema has no word for. Converts once more, leniently, to see where zod stopped. */
export function unrepresentable(toolName: string, converter: JsonSchemaConverter, error: unknown): ToolError {
  let place: readonly PropertyKey[] = []
  const override = (seen: {
    zodSchema: { _zod: { def: { type: string } } }
    jsonSchema: object
    path?: readonly PropertyKey[]
  }) => {
    const { type } = seen.zodSchema._zod.def
    const isSilent = Object.keys(seen.jsonSchema).length === 0 && type !== 'any' && type !== 'unknown'
    if (isSilent) place = seen.path ?? []
  }
  try {
    converter({ target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any', override } })
  } catch {
    // Then the place stays unknown.
  }
  const problem = error instanceof Error ? error.message : String(error)
  const hint = 'Models send JSON: describe the JSON form (for instance z.iso.datetime()) and convert it in execute.'
  return invalidSchema(toolName, inputPath(place), `${problem}. ${hint}`)
}

/** The path of the input itself: without JSON Schema's own words between the keys. */
function inputPath(path: readonly PropertyKey[]): PropertyKey[] {
  const own: PropertyKey[] = []
  for (let i = 0; i < path.length; i++) {
    const word = path[i]
    if (word === 'properties') own.push(path[++i] as PropertyKey)
    else if (word === 'items' || word === 'additionalProperties') own.push('*')
    else if (word === 'prefixItems') own.push(Number(path[++i]))
    else if (word === 'anyOf' || word === 'oneOf' || word === 'allOf') i++
  }
  return own
}
