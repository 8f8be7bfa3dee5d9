import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const browserEntries = [
  '@stepwell/sdk',
  '@stepwell/sdk/openai',
  '@stepwell/sdk/openai-responses',
  '@stepwell/sdk/anthropic',
  '@stepwell/sdk/ai-sdk',
  '@stepwell/sdk/indexeddb',
  '@stepwell/sdk/permissions',
  '@stepwell/sdk/compliance',
  '@stepwell/sdk/ag-ui',
  '@stepwell/sdk/client',
  '@stepwell/sdk/headless',
  '@stepwell/sdk/mcp',
  '@stepwell/sdk/otel',
  '@stepwell/sdk/view',
]

test.each(browserEntries)('%s runs in a browser: it reaches no module of Node', async (entry) => {
  const { metafile } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@stepwell/source'],
    external: ['node:*', ...builtinModules],
    logLevel: 'silent',
  })

  const builtins = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports.filter((found) => found.external).map((found) => `${file} imports ${found.path}`),
  )
  expect(builtins).toEqual([])
})

test('what shows a session to people holds nothing of the devtools', async () => {
  const { metafile } = await build({
    stdin: { contents: "export * from '@stepwell/react'", resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    conditions: ['@stepwell/source'],
    external: ['react', 'react/*'],
  })
  const files = Object.keys(metafile.inputs)
  expect(files.filter((file) => file.includes('packages/react/src/'))).not.toEqual([])
  expect(files.filter((file) => file.includes('devtools'))).toEqual([])
})
