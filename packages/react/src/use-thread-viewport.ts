'use client'
import { cellsOf } from '@stepwell/sdk/view'
import {
  type ComponentProps,
  useCallback,
  useEffect,
  useId,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { afterOwn } from './merge-props.ts'
import { useView } from './scope.ts'
import { ScrollKeeper } from './scroll-keeper.ts'
import { useMessageIds } from './use-messages.ts'

export interface ThreadViewportOptions {
  /**
   * `end`, the default: follows the end while the person is there. `message`: puts what the person sends at the top, and
   * lets the reply grow below it.
   */
  readonly anchor?: 'end' | 'message'
}

export interface ThreadViewport {
  /** Whether the end is followed. */
  readonly isAtEnd: boolean
  /** Messages that came since the end was left. */
  readonly unread: number
  /** Smooth, unless the person asked for less motion or `behavior` says otherwise. */
  scrollToEnd(behavior?: ScrollBehavior): void
  /** Of the element that scrolls. */
  getViewportProps(own?: ComponentProps<'div'>): ComponentProps<'div'>
  /** Of the one element inside it, around all messages. */
  getContentProps(own?: ComponentProps<'div'>): ComponentProps<'div'>
  /** Of the element of a message. */
  getMessageProps(id: string, own?: ComponentProps<'article'>): ComponentProps<'article'>
  /** Of a button that leads to the end: it is hidden there. */
  getScrollButtonProps(own?: ComponentProps<'button'>): ComponentProps<'button'>
}

/** Keeps a transcript where the person wants it. Nothing moves the focus. */
export function useThreadViewport({ anchor = 'end' }: ThreadViewportOptions = {}): ThreadViewport {
  const view = useView()
  const ids = useMessageIds()
  const [viewport, setViewport] = useState<HTMLElement | null>(null)
  const [content, setContent] = useState<HTMLElement | null>(null)
  /** The messages there were when the end was left, in the transcript that `keeper` keeps. */
  const [left, setLeft] = useState<{ readonly keeper: ScrollKeeper; readonly ids: readonly string[] }>()
  const prefix = useId()
  const keeper = useMemo(() => {
    if (viewport === null || content === null) return undefined
    const onFollow = (isFollowing: boolean): void =>
      setLeft(isFollowing ? undefined : { keeper: made, ids: view.getSnapshot().messageIds })
    const made = new ScrollKeeper({ viewport, content, onFollow })
    return made
  }, [viewport, content, view])
  useEffect(() => keeper?.observe(), [keeper])
  const elementId = useCallback((id: string) => `${prefix}-${id}`, [prefix])
  useKeptPlace(keeper, ids, anchor, elementId)

  return useMemo(() => {
    const scrollToEnd = (behavior: ScrollBehavior = preferredBehavior()): void => keeper?.toEnd(behavior)
    // Another session, or another element, begins at its end.
    const isAtEnd = left === undefined || left.keeper !== keeper
    return {
      isAtEnd,
      unread: isAtEnd ? 0 : ids.length - 1 - ids.findLastIndex((id) => left.ids.includes(id)),
      scrollToEnd,
      getViewportProps: (own = {}) => ({
        // Not a live region: what streams would be read out in fragments. `useAnnouncer` speaks.
        role: 'log',
        'aria-live': 'off',
        'aria-label': 'Conversation',
        tabIndex: 0,
        ...own,
        ref: setViewport,
      }),
      getContentProps: (own = {}) => ({ ...own, ref: setContent }),
      getMessageProps: (id, own = {}) => ({ ...own, id: elementId(id) }),
      getScrollButtonProps: (own = {}) => ({
        type: 'button',
        'aria-label': 'Jump to the latest message',
        ...own,
        hidden: isAtEnd,
        onClick: afterOwn(own.onClick, () => scrollToEnd()),
      }),
    }
  }, [keeper, left, ids, elementId])
}

/** After messages came: those before the first one move nothing, and one that was sent here may go to the top. */
function useKeptPlace(
  keeper: ScrollKeeper | undefined,
  ids: readonly string[],
  anchor: 'end' | 'message',
  elementId: (id: string) => string,
): void {
  const view = useView()
  const before = useRef(ids)
  useBeforePaint(() => {
    const prev = before.current
    before.current = ids
    if (keeper === undefined || prev === ids) return
    const [first] = prev
    if (first !== undefined && ids[0] !== first && ids.includes(first)) return keeper.prepended()
    const last = ids.at(-1)
    if (anchor === 'end' || last === undefined || prev.includes(last)) return
    if (cellsOf(view).getMessage(last)?.role !== 'user') return
    const element = document.getElementById(elementId(last))
    if (element !== null) keeper.toTop(element)
  }, [keeper, ids, anchor, elementId, view])
}

/** On a server there is nothing to paint, and React 18 warns of layout effects there. */
const useBeforePaint = typeof window === 'undefined' ? useInsertionEffect : useLayoutEffect

function preferredBehavior(): ScrollBehavior {
  return typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
}
