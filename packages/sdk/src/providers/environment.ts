/** An environment variable, where the runtime has them and it is not blank. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  const value = process?.env?.[name]?.trim()
  return value === '' ? undefined : value
}
