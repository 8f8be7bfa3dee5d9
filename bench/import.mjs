// The CPU time in ms that importing a module takes, with all it imports: `import.mjs <module>`.
const before = process.cpuUsage()
await import(process.argv[2])
const { user, system } = process.cpuUsage(before)
process.send({ ms: (user + system) / 1000 }, () => process.exit())
