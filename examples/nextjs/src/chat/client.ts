import { createClient } from '@stepwell/sdk/client'

/** One for the page: it holds the one connection that all sessions share. */
export const client = createClient({ url: '/api/agent' })
