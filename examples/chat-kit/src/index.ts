'use client'

export type { FileUrl } from './file-url.ts'
export { Icon } from './icons.tsx'
export { Thread } from './thread.tsx'
