import { estimateTokens } from '../context/estimate.ts'
import { defined } from '../protocol/fields.ts'
import type { BlobRef } from '../protocol/messages.ts'
import { modelView } from '../protocol/model-view.ts'
import type { ModelRequest } from '../providers/provider.ts'
import { isEnabled } from '../tools/tool-set.ts'
import type { RunScope } from './run-scope.ts'

export interface BuiltRequest {
  readonly request: ModelRequest
  readonly estimatedTokens: number
}

/** What the model is sent now: the instructions, its view of the history and the tools that are enabled. */
export function buildRequest(run: RunScope, { canCall }: { readonly canCall: boolean }): BuiltRequest {
  const { runtime, prepared, state } = run
  const scope = { context: prepared.context, history: state.history }
  const functions = [...prepared.declarations.values()].filter(({ name }) => {
    const tool = prepared.tools.own.get(name)
    return tool !== undefined && isEnabled(tool, scope)
  })
  const request: ModelRequest = defined({
    instructions: prepared.instructions,
    messages: modelView(state.history),
    tools: [...functions, ...prepared.tools.provider],
    toolChoice: canCall ? undefined : 'none',
    output: state.run?.config.output,
    settings: run.settings,
    cacheKey: state.id,
    async bytes({ sha256 }: BlobRef) {
      const bytes = await runtime.store.blobs.get(state.id, sha256)
      if (bytes === undefined) throw new RangeError(`The session has no blob ${sha256}.`)
      return bytes
    },
  })
  return { request, estimatedTokens: estimateTokens(request) }
}
