import { createContext, useContext } from 'react'

/** Where the page gets a file of a session from. */
export type FileUrl = (sessionId: string, sha256: string) => string

export const FileUrlContext = createContext<FileUrl>(() => {
  throw new Error('Files are shown inside a <Thread>, which knows where they are.')
})

export function useFileUrl(): FileUrl {
  return useContext(FileUrlContext)
}
