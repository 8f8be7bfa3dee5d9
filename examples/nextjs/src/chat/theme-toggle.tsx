'use client'
import type { ReactNode } from 'react'
import { Icon } from 'stepwell-example-chat-kit'

const YEAR = 365 * 24 * 60 * 60

export function ThemeToggle(): ReactNode {
  return (
    <button type="button" className="icon-button" aria-label="Light or dark" title="Light or dark" onClick={toggle}>
      <span className="theme-icon">
        <Icon name="sun" />
        <Icon name="moon" />
      </span>
    </button>
  )
}

function toggle(): void {
  const { dataset } = document.documentElement
  const isDark =
    dataset.theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : dataset.theme === 'dark'
  dataset.theme = isDark ? 'light' : 'dark'
  const [name, value] = ['theme', dataset.theme]
  // Only where the page is served by HTTPS, or from this machine.
  void window.cookieStore?.set({ name, value, path: '/', expires: Date.now() + YEAR * 1_000, sameSite: 'lax' })
}
