import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defaultServerConditions } from 'vite'
import { configDefaults, defineConfig } from 'vitest/config'
import { reactCompiler } from './packages/react/test/react-compiler.ts'

// Tests read the packages' sources, not their builds: "@stepwell/source" is the condition in each package's exports.
// As in Node, otherwise: builds under "module" are for bundlers, and Node cannot read every one of them.
const conditions = ['@stepwell/source', ...defaultServerConditions.filter((condition) => condition !== 'module')]

// The tests of packages/react run twice: with the React that is installed, and with the oldest one it takes.
const react18 = fileURLToPath(new URL('compat/react-18/node_modules', import.meta.url))
const reacts = {
  react: [],
  'react-18': [{ find: /^(react|react-dom)(?=\/|$)/, replacement: `${react18}/$1` }],
}
// assistant-ui is loaded as it is installed, with the React that is installed. The guides are of the newest React.
const notWith18 = [
  ...configDefaults.exclude,
  'packages/react/test/assistant-ui*.test.tsx',
  'packages/react/test/docs.test.tsx',
]

// What a process has one of: the providers of OpenTelemetry, file descriptors.
const alone = ['packages/sdk/src/otel/otel.test.ts', 'packages/sdk/src/plugins/run-program.node.test.ts']

// Against what is built, after all other tests. One more at a time than there are cores: much of it waits for what streams.
const inChromium = {
  environment: 'node',
  sequence: { groupOrder: 1 },
  maxWorkers: availableParallelism() + 1,
  testTimeout: 120_000,
  hookTimeout: 60_000,
  // As patient as what waits in the page.
  expect: { poll: { timeout: 30_000 } },
} as const

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // A guard against what hangs, not a measure of speed: two busy cores may be slow.
    testTimeout: 30_000,
    // Vitest leaves one core to itself where there are only two; it hardly uses it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          // Files share the modules of their worker: loading them anew for each took a third of the time. So a module keeps
          // no state, and a test puts back what it changes.
          isolate: false,
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'examples/*/src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
        },
      },
      { extends: true, test: { name: 'alone', environment: 'node', include: alone } },
      ...Object.entries(reacts).map(([name, alias]) => ({
        extends: true as const,
        resolve: { alias },
        test: {
          name,
          environment: 'jsdom',
          isolate: false,
          include: ['packages/react/src/**/*.test.tsx', 'packages/react/test/**/*.test.tsx'],
          exclude: name === 'react-18' ? notWith18 : configDefaults.exclude,
          setupFiles: ['packages/react/test/setup.ts'],
        },
      })),
      {
        extends: true,
        plugins: [reactCompiler()],
        // Once more as React Compiler leaves the package, and everything in StrictMode. Guides, and the whole page of
        // assistant-ui, are left to the runs above.
        test: {
          name: 'react-compiler',
          environment: 'jsdom',
          isolate: false,
          include: ['packages/react/test/**/*.test.tsx'],
          exclude: ['packages/react/test/docs.test.tsx', 'packages/react/test/assistant-ui.test.tsx'],
          setupFiles: ['packages/react/test/setup.ts'],
          env: { STEPWELL_STRICT_MODE: '1' },
        },
      },
      {
        extends: true,
        test: {
          ...inChromium,
          name: 'web',
          include: ['examples/nextjs/test/**/*.test.ts'],
          globalSetup: ['examples/nextjs/test/build.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...inChromium,
          name: 'storybook',
          include: ['examples/storybook/test/**/*.test.ts'],
          globalSetup: ['examples/storybook/test/build.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'shared', environment: 'node', include: ['packages/sdk/test/shared/**/*.shared.ts'] },
      },
    ],
  },
})
