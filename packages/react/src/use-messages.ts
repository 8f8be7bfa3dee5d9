'use client'
import type { AssistantPart, UserPart } from '@stepwell/sdk'
import type { CallItem, MessageOutline } from '@stepwell/sdk/view'
import { useCell } from './use-cell.ts'

/** The ids of all messages, in order. Renders anew when one comes, goes or moves: not when they say more. */
export function useMessageIds(): readonly string[] {
  return useCell('list', (view) => view.getSnapshot().messageIds)
}

/** A message but for what its parts say: it stays the same while they grow. */
export function useMessage(id: string): MessageOutline | undefined {
  return useCell(`message:${id}`, (view) => view.getMessage(id))
}

/** One part of a message. While its text streams this is what renders anew, and nothing else. */
export function usePart(messageId: string, index: number): UserPart | AssistantPart | undefined {
  return useCell(`part:${messageId}/${index}`, (view) => view.getPart(messageId, index))
}

/** A tool call: its input, its state, what it prints while it runs, and its result. */
export function useToolCall(callId: string): CallItem | undefined {
  return useCell(`call:${callId}`, (view) => view.getCall(callId))
}
