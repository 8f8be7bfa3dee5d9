'use client'
import { type ComponentProps, useEffect, useMemo, useRef, useState } from 'react'
import { type Announcement, type AnnouncerWords, announcementOf, ENGLISH } from './announcements.ts'
import { useView } from './scope.ts'
import { useLatest } from './use-latest.ts'
import { useSessionEvents } from './use-session-event.ts'
import { useConnection } from './use-slices.ts'

export type { AnnouncerWords }

export interface Announcer {
  /** Of an element that is always there, out of sight but not hidden. */
  getStatusProps(): ComponentProps<'div'>
  /** Of another one, for what cannot wait. */
  getAlertProps(): ComponentProps<'div'>
  /** Says something of your own. */
  announce(text: string, options?: { readonly isUrgent?: boolean }): void
}

/** How long what was said stays alone. Milliseconds. */
const PAUSE_MS = 1_000

/**
 * Tells those who do not see the page what happens: that work began and ended, that something is asked, that the
 * connection went or came. Never what was there already, and what comes close together in one go.
 */
export function useAnnouncer(words: Partial<AnnouncerWords> = {}): Announcer {
  const view = useView()
  const [status, sayStatus] = useSpeech()
  const [alert, sayAlert] = useSpeech()
  const latest = useLatest({ ...ENGLISH, ...words })
  const actions = useMemo(() => {
    const say = ({ text, isUrgent }: Announcement): void => (isUrgent ? sayAlert(text) : sayStatus(text))
    const announce: Announcer['announce'] = (text, { isUrgent = false } = {}) => say({ text, isUrgent })
    return { say, announce }
  }, [sayStatus, sayAlert])

  useSessionEvents((event) => {
    const announcement = announcementOf(event, latest.current, () => lastReply(view.live.history))
    if (announcement !== undefined) actions.say(announcement)
  })

  const { status: connection } = useConnection()
  const wasLost = useRef(false)
  useEffect(() => {
    const isLost = connection === 'reconnecting' || connection === 'offline' || connection === 'failed'
    if (isLost && !wasLost.current) sayStatus(latest.current.disconnected)
    if (connection === 'live' && wasLost.current) sayStatus(latest.current.reconnected)
    if (isLost || connection === 'live') wasLost.current = isLost
  }, [connection, sayStatus, latest])

  return {
    getStatusProps: () => ({ role: 'status', 'aria-live': 'polite', 'aria-atomic': true, children: status }),
    getAlertProps: () => ({ role: 'alert', 'aria-live': 'assertive', 'aria-atomic': true, children: alert }),
    announce: actions.announce,
  }
}

/** A text of a live region: what comes within a pause is said together after it. */
function useSpeech(): [string, (text: string) => void] {
  const [said, setSaid] = useState('')
  const speech = useMemo(() => makeSpeech(setSaid), [])
  useEffect(() => speech.end, [speech])
  return [said, speech.say]
}

function makeSpeech(show: (text: (before: string) => string) => void): { say(text: string): void; end(): void } {
  let waiting: string[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = (): void => {
    timer = undefined
    if (waiting.length === 0) return
    const text = waiting.join(' ')
    waiting = []
    // The same text again is no change, and would not be said.
    show((before) => (before === text ? `${text}\u00a0` : text))
    timer = setTimeout(next, PAUSE_MS)
  }
  return {
    say(text) {
      if (!waiting.includes(text)) waiting.push(text)
      if (timer === undefined) next()
    },
    end() {
      clearTimeout(timer)
      timer = undefined
      waiting = []
    },
  }
}

function lastReply(history: ReturnType<typeof useView>['live']['history']): string {
  const message = history.findLast(({ role }) => role === 'assistant')
  if (message?.role !== 'assistant') return ''
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
