import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type KeyPress, listenToKeys } from './keyboard.ts'

async function keysOf(typed: string): Promise<{ keys: KeyPress[]; written: string }> {
  const written: string[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} })
  const keys: KeyPress[] = []
  const ended = new Promise<void>((resolve) => {
    const release = listenToKeys(input, { write: (text: string) => written.push(text) }, (key) => {
      keys.push(key)
      if (key.name !== 'f12') return
      release()
      resolve()
    })
  })
  input.write(`${typed}\x1b[24~`)
  await ended
  return { keys: keys.slice(0, -1), written: written.join('') }
}

test.each([
  ['a', { name: 'a', text: 'a' }],
  ['é', { name: '', text: 'é' }],
  ['\r', { name: 'return' }],
  ['\x1b\r', { name: 'return', meta: true }],
  ['\n', { name: 'enter', meta: false }],
  ['\x03', { name: 'c', ctrl: true }],
  ['\x1b[A', { name: 'up' }],
])('%j is a key', async (typed, key) => {
  expect((await keysOf(typed)).keys).toEqual([expect.objectContaining(key)])
})

test('a paste is one key, whatever is in it', async () => {
  const { keys, written } = await keysOf('\x1b[200~one\r\ntwo\x03\x1b[201~')
  expect(keys).toEqual([{ name: 'paste', text: 'one\r\ntwo\x03', ctrl: false, meta: false }])
  expect(written).toBe('\x1b[?2004h\x1b[?2004l')
})

test('a lone escape is a key of its own', async () => {
  const keys: KeyPress[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} })
  await new Promise<void>((resolve) => {
    const release = listenToKeys(input, { write: () => {} }, (key) => {
      keys.push(key)
      release()
      resolve()
    })
    input.write('\x1b')
  })
  expect(keys).toMatchObject([{ name: 'escape', meta: false }])
})
