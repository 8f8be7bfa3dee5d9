import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const shared = process.env.STEPWELL_SHARED ?? ''

function parse(file: string): unknown {
  return JSON.parse(readFileSync(join(shared, file), 'utf8'))
}

test('every recording has an expected answer, and every line of it is JSON', () => {
  const names = readdirSync(join(shared, 'recordings')).filter((file) => file.endsWith('.jsonl'))
  expect(names).not.toEqual([])
  for (const name of names) {
    parse(`recordings/${name.replace('.jsonl', '.expected.json')}`)
    for (const line of readFileSync(join(shared, 'recordings', name), 'utf8')
      .trim()
      .split('\n'))
      JSON.parse(line)
  }
})

test('every case is JSON', () => {
  const names = readdirSync(join(shared, 'cases')).filter((file) => file.endsWith('.json'))
  expect(names).not.toEqual([])
  for (const name of names) parse(`cases/${name}`)
})
