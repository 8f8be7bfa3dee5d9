import { useChat } from '../../../../compat/ai-sdk-7/node_modules/@ai-sdk/react/dist/index.js'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as afterApprovals,
  lastAssistantMessageIsCompleteWithToolCalls as afterToolCalls,
  DefaultChatTransport,
} from '../../../../compat/ai-sdk-7/node_modules/ai/dist/index.js'
import { chatPage, type Packages } from './use-chat.ts'

// The page is the same; the types of the two versions are not the same to the last one.
const packages = { useChat, DefaultChatTransport, afterApprovals, afterToolCalls } as unknown as Packages

export const { mount, send, decide, stop, regenerate, seen } = chatPage(packages)
