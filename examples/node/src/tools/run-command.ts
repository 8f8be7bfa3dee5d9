import { defineTool, ToolError } from '@stepwell/sdk'
import { duration } from '../calls.ts'
import { runInGroup } from './process-group.ts'
import type { Workspace } from './workspace.ts'

const DEFAULT_SECONDS = 120
const MAX_SECONDS = 1_800
/** Characters of the output the model is told: the last ones, where commands say what went wrong. */
const MAX_OUTPUT = 30_000

export function runCommand(workspace: Workspace) {
  return defineTool<{ command: string; timeoutSeconds?: number }>({
    name: 'run_command',
    description: 'Runs a shell command in the current folder, without input. Gives its exit code and what it printed.',
    // A stopped command is killed, and its result says so.
    onAbort: 'wait',
    input: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1 },
        timeoutSeconds: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_SECONDS,
          description: `Default ${DEFAULT_SECONDS}.`,
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    operations: ({ command }) => [{ kind: 'execute', target: command }],
    describeEffect: ({ command }) => ({ title: 'Run a command', command }),
    async execute({ command, timeoutSeconds = DEFAULT_SECONDS }, ctx) {
      if (command.includes('\0')) throw new ToolError('tool.invalid-input', 'A command cannot contain a NUL character.')
      const timeout = AbortSignal.timeout(timeoutSeconds * 1_000)
      const began = performance.now()
      let output = ''
      let isCut = false
      const ended = await runInGroup(command, {
        cwd: workspace.root,
        signal: AbortSignal.any([ctx.signal, timeout]),
        onOutput(text) {
          ctx.output(text)
          output += text
          isCut ||= output.length > MAX_OUTPUT
          if (output.length > 2 * MAX_OUTPUT) output = output.slice(-MAX_OUTPUT)
        },
      })
      const cut = isCut ? '[the beginning is left out]\n' : ''
      const told = `${cut}${output.slice(-MAX_OUTPUT)}`
      if (ctx.signal.aborted) throw new ToolError('tool.failed', `${ended}, after it printed:\n${told}`)
      return `${timeout.aborted ? 'out of time' : ended} after ${duration(performance.now() - began)}\n${told}`
    },
  })
}
