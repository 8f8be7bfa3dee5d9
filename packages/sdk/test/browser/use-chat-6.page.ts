import { useChat } from '@ai-sdk/react'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as afterApprovals,
  lastAssistantMessageIsCompleteWithToolCalls as afterToolCalls,
  DefaultChatTransport,
} from 'ai'
import { chatPage } from './use-chat.ts'

export const { mount, send, decide, stop, regenerate, seen } = chatPage({
  useChat,
  DefaultChatTransport,
  afterApprovals,
  afterToolCalls,
})
