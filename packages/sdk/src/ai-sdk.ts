export type { FromAISDKOptions } from './providers/ai-sdk/from-ai-sdk.ts'
export { fromAISDK } from './providers/ai-sdk/from-ai-sdk.ts'
export type { AISDKModel } from './providers/ai-sdk/model.ts'
export { providerTool } from './providers/ai-sdk/provider-tool.ts'
