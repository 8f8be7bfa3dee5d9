/**
 * The part of Standard Schema (https://standardschema.dev) that tools use: zod 4, zod/mini, Valibot, ArkType and others
 * carry it.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
  /** A JSON Pointer in place of the path, from our own check of a JSON Schema. */
  readonly pointer?: string
}

/** What a schema may offer beside: its own way to JSON Schema. `libraryOptions` are the library's own. */
export type JsonSchemaConverter = (options: {
  readonly target: string
  readonly libraryOptions?: Record<string, unknown>
}) => Record<string, unknown>

/** The properties of a Standard Schema as they are found: any of them may be missing. */
export interface StandardProps {
  readonly vendor?: string
  readonly validate?: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>
  readonly jsonSchema?: { readonly input?: JsonSchemaConverter }
}

/** ArkType's schemas are functions. */
export function standardProps(schema: unknown): StandardProps | undefined {
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function')) return undefined
  const props = (schema as { readonly '~standard'?: unknown })['~standard']
  return typeof props === 'object' && props !== null ? (props as StandardProps) : undefined
}
