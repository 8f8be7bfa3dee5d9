import type { ChangeEvent, ClipboardEvent, ComponentProps, FormEvent, KeyboardEvent } from 'react'
import type { ComposerActions } from './composer-actions.ts'
import { composerKey } from './composer-keys.ts'
import type { DraftState } from './draft.ts'
import { afterOwn } from './merge-props.ts'

/** Properties of the elements of a composer: behaviour and names, never style. What you pass comes first. */
export interface ComposerProps {
  getFormProps(own?: ComponentProps<'form'>): ComponentProps<'form'>
  getInputProps(own?: ComponentProps<'textarea'>): ComponentProps<'textarea'>
  getSendProps(own?: ComponentProps<'button'>): ComponentProps<'button'>
  getStopProps(own?: ComponentProps<'button'>): ComponentProps<'button'>
  /** Of the `<input type="file">` that files are chosen with. */
  getAttachProps(own?: ComponentProps<'input'>): ComponentProps<'input'>
}

type Source = ComposerActions & DraftState & { readonly canSend: boolean; readonly canStop: boolean }

export function composerProps(composer: Source): ComposerProps {
  const { text, attachments, canSend, canStop } = composer
  const isEmpty = text === '' && attachments.length === 0

  function onKeyDown(event: KeyboardEvent): void {
    const key = composerKey(event, isEmpty)
    if (key === undefined || (key === 'stop' && !canStop)) return
    event.preventDefault()
    if (key === 'send') void composer.send()
    else if (key === 'alternate') void composer.sendOtherwise()
    else if (key === 'stop') void composer.stop()
    else void composer.takeBack().catch(() => {})
  }

  function onPaste({ clipboardData }: ClipboardEvent): void {
    if (clipboardData.files.length > 0) composer.attach(clipboardData.files)
  }

  return {
    getFormProps: (own = {}) => ({
      ...own,
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        own.onSubmit?.(event as never)
        if (event.defaultPrevented) return
        event.preventDefault()
        void composer.send()
      },
    }),
    getInputProps: (own = {}) => ({
      'aria-label': 'Message',
      dir: 'auto',
      enterKeyHint: 'send',
      ...own,
      value: text,
      onChange: afterOwn(own.onChange, (event: ChangeEvent<HTMLTextAreaElement>) =>
        composer.setText(event.target.value),
      ),
      onKeyDown: afterOwn(own.onKeyDown, onKeyDown),
      onPaste: afterOwn(own.onPaste, onPaste),
    }),
    getSendProps: (own = {}) => ({
      type: 'submit',
      'aria-label': 'Send',
      ...own,
      disabled: own.disabled === true || !canSend,
    }),
    getStopProps: (own = {}) => ({
      type: 'button',
      'aria-label': 'Stop',
      ...own,
      disabled: own.disabled === true || !canStop,
      onClick: afterOwn(own.onClick, () => void composer.stop()),
    }),
    getAttachProps: (own = {}) => ({
      'aria-label': 'Attach files',
      multiple: true,
      ...own,
      type: 'file',
      onChange: afterOwn(own.onChange, ({ target }: ChangeEvent<HTMLInputElement>) => {
        if (target.files !== null) composer.attach([...target.files])
        // The same file may be chosen again.
        target.value = ''
      }),
    }),
  }
}
