import { ChildProcess } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { runProgram } from './run-program.node.ts'

// What Node gives where no file descriptor is left: a child without streams, and the error a moment later.
vi.mock('node:child_process', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  spawn() {
    const child: ChildProcess = Reflect.construct(ChildProcess, [])
    process.nextTick(() => child.emit('error', new Error('spawn true EMFILE')))
    return child
  },
}))

test('a process with no file descriptor left goes on', async () => {
  const ran = runProgram({ command: 'true' }, '', new AbortController().signal)
  await expect(ran).rejects.toThrow('EMFILE')
})
