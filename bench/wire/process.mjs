// One server in a process of its own: `process.mjs <module>`. It says its port, and does what it is asked, one thing at a
// time: every message is answered by one.
const { serve } = await import(process.argv[2])
const { server, answers } = await serve()

const ANSWERS = {
  ...answers,
  /** CPU time so far in ms, user and system. */
  cpu() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  /** Bytes in use on the heap, once what nobody needs is gone. */
  heap() {
    for (let i = 0; i < 4; i++) globalThis.gc()
    return process.memoryUsage().heapUsed
  },
}

process.on('message', async ([name, what]) => process.send({ answer: await ANSWERS[name](what) }))
process.on('disconnect', () => process.exit())
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', 4_096, () => process.send({ port: server.address().port }))
