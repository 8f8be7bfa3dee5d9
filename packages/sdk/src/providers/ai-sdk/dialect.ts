import { base64 } from '../bytes.ts'
import type { FileData, ResultPiece, ToolDeclaration } from './call-options.ts'
import type { AISDKModel } from './model.ts'

/** What the versions of the specification say in different words. */
export interface Dialect {
  readonly providerTool: Exclude<ToolDeclaration['type'], 'function'>
  /** Whether an amount of reasoning can be asked for without the provider's own options. */
  readonly hasReasoning: boolean
  bytes(data: Uint8Array): FileData
  url(url: URL): FileData
  /** An image in the result of a tool. */
  resultImage(mediaType: string, data: Uint8Array): ResultPiece
}

const bare = { bytes: (data: Uint8Array) => data, url: (url: URL) => url, hasReasoning: false }

export const DIALECTS: Readonly<Record<AISDKModel['specificationVersion'], Dialect>> = {
  v2: {
    ...bare,
    providerTool: 'provider-defined',
    resultImage: (mediaType, data) => ({ type: 'media', mediaType, data: base64(data) }),
  },
  v3: {
    ...bare,
    providerTool: 'provider',
    resultImage: (mediaType, data) => ({ type: 'image-data', mediaType, data: base64(data) }),
  },
  v4: {
    providerTool: 'provider',
    hasReasoning: true,
    bytes: (data) => ({ type: 'data', data }),
    url: (url) => ({ type: 'url', url }),
    resultImage: (mediaType, data) => ({ type: 'file', mediaType, data: { type: 'data', data } }),
  },
}
