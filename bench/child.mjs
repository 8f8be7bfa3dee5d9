// One contestant doing one piece of work in a process of its own: `child.mjs <contestant> <model> <baseURL>`.
// Prints the CPU time of the work in ms, user and system, without the start of the process, its imports, and what is
// loaded at the first request: a small warm-up of the same kind comes first, for everyone.
import { expected } from './work/replies.mjs'

const [contestant, model, baseURL] = process.argv.slice(2)
const { run } = await import(contestant)
const warmUp = model.replace(/\d+$/, '3')
check(await run({ baseURL, model: warmUp }), warmUp)
const before = process.cpuUsage()
const seen = await run({ baseURL, model })
const { user, system } = process.cpuUsage(before)
check(seen, model)
process.send((user + system) / 1000, () => process.exit())

function check(seen, asked) {
  const should = expected(asked)
  for (const key in should) {
    if (seen[key] !== should[key])
      throw new Error(`${contestant} saw ${key} ${seen[key]} of ${asked}, not ${should[key]}`)
  }
}
