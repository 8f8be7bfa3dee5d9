import { initialState, type SessionState } from '@stepwell/sdk'
import { expect, test } from 'vitest'
import { statusLine, usageWords } from './status.ts'

const idle = initialState('s')

test('says what is running, for how long and what was used', () => {
  const state: SessionState = {
    ...idle,
    status: 'running',
    usage: {
      ...idle.usage,
      total: { requests: 2, totalTokens: 12_345, cost: { amount: 0.0123, currency: 'USD' } },
      context: { used: 4_000, window: 128_000 },
    },
    live: { tasks: {}, calls: { c: { toolName: 'read_file', input: { path: 'a.ts' }, running: true, output: '' } } },
  }
  expect(statusLine(state, 0, 1_200, 200)).toBe(
    '⠹ read_file a.ts · 1.2 s · Esc stops · 12,345 tokens · $0.0123 · context 3% of 128,000',
  )
  expect(statusLine(state, 0, 1_200, 20)).toBe('⠹ read_file a.ts · …')
})

test('says when it will try again', () => {
  const error = { code: 'provider.overloaded', message: 'Too busy.', retryable: true }
  const activity = { kind: 'retrying', attempt: 2, delayMs: 2_500, until: 5_000, error } as const
  const state: SessionState = { ...idle, status: 'running', live: { ...idle.live, activity } }
  expect(statusLine(state, 2_500, 0, 200)).toBe('⠋ trying again in 3 s (provider.overloaded) · 0 ms · Esc stops')
  expect(statusLine({ ...state, status: 'stopping' }, 0, 0, 200)).toContain('stopping')
})

test('says that a person is waited for, and what is left of a budget', () => {
  const request = { id: 'r', kind: 'approval', path: ['s'] } as const
  const budgetRemaining = { cost: { amount: 0.4217, currency: 'USD' }, tokens: 9_000 }
  const usage = { ...idle.usage, budgetRemaining }
  const state: SessionState = { ...idle, usage, status: 'waiting', pending: { ...idle.pending, requests: [request] } }
  expect(statusLine(state, 0, 0, 200)).toBe('⠋ waits for you · 0 ms · Ctrl-C stops · $0.4217 left · 9,000 tokens left')
  const two = { ...state, pending: { ...state.pending, requests: [request, { ...request, id: 'q' }] } }
  expect(statusLine(two, 0, 0, 200)).toContain('2 wait for you')
})

test('what is unknown is left out', () => {
  expect(usageWords(idle.usage)).toEqual([])
  const estimated = { requests: 1, totalTokens: 9, estimated: true } as const
  expect(usageWords({ ...idle.usage, total: estimated, context: { used: 9 } })).toEqual(['~9 tokens', 'context 9'])
})
