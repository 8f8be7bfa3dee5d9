import { expect, test } from 'vitest'
import type { Message } from './messages.ts'
import { modelView } from './model-view.ts'

const user = (id: string): Message => ({ role: 'user', id, at: 1, parts: [{ type: 'text', text: id }] })
const summary = (id: string, keepFrom?: string): Message => ({
  role: 'note',
  id,
  at: 1,
  kind: 'summary',
  text: 'Before.',
  toModel: true,
  ...(keepFrom !== undefined && { keepFrom }),
})
const note = (id: string, toModel: boolean): Message => ({
  role: 'note',
  id,
  at: 1,
  kind: 'background',
  text: 'Done.',
  toModel,
})
const ids = (history: readonly Message[]) => modelView(history).map(({ id }) => id)

test('a history without summaries and asides is its own view', () => {
  const history = [user('a'), note('n', true), user('b')]
  expect(modelView(history)).toBe(history)
  expect(modelView([])).toEqual([])
})

test('notes that are only for people are left out', () => {
  expect(ids([user('a'), note('aside', false), user('b')])).toEqual(['a', 'b'])
})

test('a summary stands for everything before what it keeps', () => {
  expect(ids([user('a'), user('b'), user('c'), summary('s', 'b'), user('d')])).toEqual(['s', 'b', 'c', 'd'])
})

test('a summary that keeps nothing is followed by what came after it', () => {
  expect(ids([user('a'), summary('s'), user('b')])).toEqual(['s', 'b'])
})

test('a summary whose kept message was lost keeps what came after it', () => {
  expect(ids([user('b'), summary('s', 'gone'), note('aside', false), user('c')])).toEqual(['s', 'c'])
})

test('only the last summary counts, also when it keeps messages from before an older one', () => {
  const history = [user('a'), summary('old', 'a'), user('b'), summary('new', 'a'), user('c')]
  expect(ids(history)).toEqual(['new', 'a', 'b', 'c'])
})

test('the messages themselves are never copied', () => {
  const history = [user('a'), summary('s', 'a'), user('b')]
  for (const message of modelView(history)) expect(history).toContain(message)
})
