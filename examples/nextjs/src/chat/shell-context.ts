'use client'
import { createContext, useContext } from 'react'

interface ShellActions {
  /** Something happened that the list of sessions shows. */
  refreshList(): void
  /** On a phone, where it covers the conversation. */
  openSidebar(): void
}

export const ShellContext = createContext<ShellActions>({ refreshList() {}, openSidebar() {} })

export function useShell(): ShellActions {
  return useContext(ShellContext)
}
