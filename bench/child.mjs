// One contestant doing one piece of work in a process of its own: `child.mjs <module> <warm-up> <work>`, the last two as
// JSON for its `run`. Sends the CPU time of the work in ms, user and system, and what `run` returned. The start of the
// process, its imports, and what is loaded and compiled in the warm-up are not counted, for anyone.

/**
 * A single pass leaves most of the compiling to the work itself, for everyone alike: it would hide what differs. Passes
 * shorter than the work leave the growth of the heap to it, at a moment that chance decides: a page that is touched for
 * the first time costs a virtual machine as much as twenty deltas.
 */
const WARM_UP_PASSES = 4

const [module, warmUp, work] = process.argv.slice(2)
const { run } = await import(module)
for (let pass = 0; pass < WARM_UP_PASSES; pass++) await run(JSON.parse(warmUp))
const before = process.cpuUsage()
const seen = await run(JSON.parse(work))
const { user, system } = process.cpuUsage(before)
process.send({ ms: (user + system) / 1000, seen }, () => process.exit())
