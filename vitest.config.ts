import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// Tests read the packages' sources, not their builds: "@stepwell/source" is the condition in each package's exports.
const conditions = ['@stepwell/source', ...defaultServerConditions]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // A guard against what hangs, not a measure of speed: two busy cores may be slow.
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'examples/*/src/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'shared', environment: 'node', include: ['packages/sdk/test/shared/**/*.shared.ts'] },
      },
    ],
  },
})
