import { describe, expect, test } from 'vitest'
import type { PermissionCall } from '../protocol/permissions.ts'
import { linkedRealpath } from '../testing/linked-realpath.ts'
import { PERMISSION_TRICKS, TRICKED_LINKS, TRICKED_PLACES, TRICKED_RULES } from '../testing/permission-tricks.ts'
import { permissions } from './permissions.ts'

const realpath = linkedRealpath(TRICKED_LINKS)

const calls = Object.entries(PERMISSION_TRICKS).flatMap(([name, { kind, tricks }]) =>
  tricks.map(([target, verdict, why]) => {
    const call: PermissionCall = {
      toolName: kind === 'execute' ? 'bash' : 'file',
      effect: 'write',
      input: {},
      operations: [{ kind, target }],
      sessionId: 's',
    }
    return { name, target, verdict, why, call }
  }),
)

test('there are twelve kinds of trick, ten of each', () => {
  expect(Object.values(PERMISSION_TRICKS).map(({ tricks }) => tricks.length)).toEqual(Array(12).fill(10))
})

describe('each trick has its verdict', () => {
  const policy = permissions({ ...TRICKED_PLACES, realpath, rules: TRICKED_RULES })

  test.each(calls)('$name: $target → $verdict: $why', async ({ call, verdict }) => {
    expect(await policy.decide(call)).toMatchObject({ verdict })
  })
})

describe('without the rules that deny', () => {
  const policy = permissions({ ...TRICKED_PLACES, realpath, rules: { allow: TRICKED_RULES.allow } })

  test.each(calls.filter(({ verdict }) => verdict === 'ask'))('$name: $target is still asked', async ({ call }) => {
    expect(await policy.decide(call)).toMatchObject({ verdict: 'ask' })
  })
})

describe('a suggested rule allows exactly its request', () => {
  const bare = permissions({ ...TRICKED_PLACES, realpath })

  test.each(calls)('$name: $target', async ({ call }) => {
    const { suggestedRule } = await bare.decide(call)
    if (suggestedRule === undefined) return
    const policy = permissions({ ...TRICKED_PLACES, realpath, rules: { allow: [suggestedRule] } })
    const allowed = []
    for (const other of calls) {
      if ((await policy.decide(other.call)).verdict === 'allow')
        allowed.push((await bare.decide(other.call)).suggestedRule)
    }
    expect(allowed).toContain(suggestedRule)
    // Others that pass are the same request in other words: they have the same rule.
    expect(new Set(allowed)).toEqual(new Set([suggestedRule]))
  })
})
