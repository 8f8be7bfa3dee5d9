import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  devIndicators: false,
  // Sources of this repository, as they are.
  transpilePackages: ['stepwell-example-chat-kit', 'stepwell-example-node'],
  // Native code, and code that finds its own files: loaded by Node, not bundled.
  serverExternalPackages: ['better-sqlite3', '@stepwell/sdk'],
  turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) },
  // `npm run check` looks at the types of the whole repository.
  typescript: { ignoreBuildErrors: true },
}

export default config
