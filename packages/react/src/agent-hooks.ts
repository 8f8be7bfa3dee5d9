'use client'
import type { Tool, ToolCallPart, ToolResult } from '@stepwell/sdk'
import type { CallItem } from '@stepwell/sdk/view'
import type { ComponentType, ReactNode } from 'react'
import { MessageParts, type MessagePartsProps, type PartRenderers, type ToolCallProps } from './message-parts.tsx'
import { useToolCall } from './use-messages.ts'

/** The tools of an agent's type. */
type ToolsOf<A> = A extends { readonly tools: readonly (infer T)[] } ? Extract<T, Tool> : never

/** A tool call with its tool's types: of a call that was checked. While it streams there is only `inputText`. */
export interface TypedCallPart<Name extends string, Input, Output>
  extends Omit<ToolCallPart, 'toolName' | 'input' | 'result'> {
  readonly toolName: Name
  readonly input?: Input
  /** `output` is the tool's where `outcome` is `ok` and it was not truncated, else a text. */
  readonly result?: Omit<ToolResult, 'output'> & { readonly output: Output | string }
}

type PartOf<T> = T extends Tool<infer Input, infer Output, infer Name> ? TypedCallPart<Name, Input, Output> : never

export type TypedCall<A> = Omit<CallItem, 'part'> & { readonly part?: PartOf<ToolsOf<A>> }

export interface TypedRenderers<A> extends Omit<PartRenderers, 'tools'> {
  readonly tools?: {
    readonly [T in ToolsOf<A> as T['name']]?: ComponentType<Omit<ToolCallProps, 'part'> & { readonly part: PartOf<T> }>
  }
}

export interface AgentHooks<A> {
  useToolCall(callId: string): TypedCall<A> | undefined
  MessageParts(props: Omit<MessagePartsProps, 'renderers'> & { readonly renderers?: TypedRenderers<A> }): ReactNode
}

/**
 * The hooks that know an agent's tools: `createAgentHooks<typeof agent>()`, with an `import type` of the agent. Nothing of
 * the agent comes into the page.
 */
export function createAgentHooks<A>(): AgentHooks<A> {
  return { useToolCall, MessageParts } as unknown as AgentHooks<A>
}
