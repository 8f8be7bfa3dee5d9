import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openApi } from './openapi.ts'

// `npx vitest run --project unit openapi -u` writes it anew.
it('is checked in as it is served', async () => {
  const file = fileURLToPath(new URL('../../../openapi.json', import.meta.url))
  await expect(`${JSON.stringify(openApi(), null, 2)}\n`).toMatchFileSnapshot(file)
})

it('refers to nothing that it does not have', () => {
  const { components } = openApi() as unknown as { components: { schemas: Record<string, unknown> } }
  const refs = [...JSON.stringify(openApi()).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref)
  expect(refs.length).toBeGreaterThan(0)
  for (const ref of refs)
    expect(Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`)).toContain(ref)
})
