import { expect, test } from 'vitest'
import { explained } from './explained.ts'

test('a failure that nothing can explain is taken for a passing one, with its cause', async () => {
  const cause = new TypeError('fetch failed')
  const error = await explained({ provider: 'p', sentOutput: true, cause }, () =>
    Promise.reject(new TypeError('Failed to fetch dynamically imported module')),
  )
  expect(error).toMatchObject({ code: 'provider.unreachable', retryable: true, sentOutput: true, cause })
})
