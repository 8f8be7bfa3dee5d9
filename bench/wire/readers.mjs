// Many readers in a process of its own: `readers.mjs <port> <path> <count> <last words>`. Says when all of them are
// connected and have had their first frame, and again when each has seen the last words.
import { get } from 'node:http'

const [port, path, count, last] = process.argv.slice(2)
const words = Buffer.from(last)
const isAlone = Number(count) === 1
const body = []
let connected = 0
let finished = 0
const started = performance.now()

function read(response) {
  if (response.statusCode !== 200) throw new Error(`The server answered with ${response.statusCode}.`)
  let tail
  response.on('data', (chunk) => {
    if (isAlone) body.push(chunk)
    if (tail === undefined && ++connected === Number(count)) process.send({ connected })
    const text = tail ? Buffer.concat([tail, chunk]) : chunk
    if (text.includes(words) && ++finished === Number(count)) tell()
    tail = text.subarray(-words.length + 1)
  })
  response.on('end', () => {
    throw new Error('A stream ended.')
  })
}

function tell() {
  const ms = performance.now() - started
  process.send({ ms, ...(isAlone && { body: Buffer.concat(body).toString() }) })
}

for (let i = 0; i < Number(count); i++) get({ host: '127.0.0.1', port, path, agent: false }, read)
process.on('disconnect', () => process.exit())
