import type { KeyboardEvent } from 'react'

/** What a key means in a composer. `alternate`: send by the other lane. */
export type ComposerKey = 'send' | 'alternate' | 'stop' | 'edit-last' | undefined

/** An input method's own: with `isComposing`, or with key code 229, which Safari sends after the composition's end. */
const IME_KEY_CODE = 229

export function composerKey(event: KeyboardEvent, isEmpty: boolean): ComposerKey {
  const { key, shiftKey, altKey, ctrlKey, metaKey, nativeEvent } = event
  if (nativeEvent.isComposing || event.keyCode === IME_KEY_CODE) return undefined
  if (key === 'Escape') return 'stop'
  if (key === 'ArrowUp' && isEmpty && !shiftKey && !altKey && !ctrlKey && !metaKey) return 'edit-last'
  if (key !== 'Enter' || shiftKey || altKey) return undefined
  if (ctrlKey || metaKey) return 'alternate'
  return isTouch() ? undefined : 'send'
}

/** On a touch keyboard Enter makes a new line: there is a button to send with. */
function isTouch(): boolean {
  return typeof matchMedia === 'function' && matchMedia('(pointer: coarse)').matches
}
