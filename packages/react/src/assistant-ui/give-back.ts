import type { ThreadComposerRuntime } from '@assistant-ui/react'
import type { ReturnedInput } from '@stepwell/sdk'
import { attachmentOf, isAttached } from './attachments.ts'
import type { BlobUrl } from './user-part.ts'

/** Puts inputs that a stop handed back before what is being written. */
export async function giveBack(
  composer: ThreadComposerRuntime,
  inputs: readonly ReturnedInput[],
  blobUrl: BlobUrl,
): Promise<void> {
  const texts = inputs.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])))
  composer.setText([...texts, composer.getState().text].filter((text) => text !== '').join('\n\n'))
  for (const { inputId, parts } of inputs) {
    for (const [i, part] of parts.entries()) {
      if (isAttached(part)) await composer.addAttachment(attachmentOf(part, `${inputId}/${i}`, blobUrl))
    }
  }
}
