import type { StorybookConfig } from '@storybook/react-vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, mergeConfig } from 'vite'

const config: StorybookConfig = {
  framework: '@storybook/react-vite',
  stories: ['../src/docs/*.mdx', '../src/stories/*.stories.tsx'],
  addons: ['@storybook/addon-docs', '@storybook/addon-a11y'],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  typescript: { reactDocgen: false },
  // The packages' sources, so that a change in a hook is seen at once.
  viteFinal: (config) =>
    mergeConfig(config, {
      plugins: [react()],
      resolve: { conditions: ['@stepwell/source', ...defaultClientConditions] },
      build: {
        chunkSizeWarningLimit: 4_000,
        rolldownOptions: {
          onwarn(warning, warn) {
            // Storybook bundles no server components: every module is the client's.
            if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
          },
        },
      },
    }),
}

export default config
