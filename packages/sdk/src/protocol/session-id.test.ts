import { expect, test } from 'vitest'
import { runIdOf } from './commands.ts'
import { SessionError } from './errors.ts'
import { checkSessionId } from './session-id.ts'

test.each(['a', '../x', "a'b", '100%', '👩‍🚀', 'x'.repeat(256)])('%j is an id like any other', (id) => {
  expect(() => checkSessionId(id)).not.toThrow()
})

test.each<[string, unknown]>([
  ['empty', ''],
  ['too long', 'x'.repeat(257)],
  ['a control character', 'a\u0000b'],
  ['a line break', 'a\nb'],
  ['half a surrogate pair', 'a\ud83d'],
  ['not text', 7],
])('refused with a stable code: %s', (_what, id) => {
  const check = () => checkSessionId(id as string)
  expect(check).toThrow(SessionError)
  expect(check).toThrow(expect.objectContaining({ code: 'session.invalid-id' }))
})

test('the id of a run follows from the command that starts it', () => {
  expect(runIdOf('cmd-1')).toBe('run_cmd-1')
})
