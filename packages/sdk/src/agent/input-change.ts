import type { InputChangeCommand } from '../protocol/commands.ts'
import { InputError } from '../protocol/errors.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { InputChange, InputContent } from '../protocol/session.ts'

/** What is to become of an input that waits. Rejects with `input.invalid` for nothing at all. */
export async function inputChange(
  inputId: string,
  { input, lane, remove }: InputChange,
  stored: (input: InputContent) => Promise<readonly UserPart[]>,
): Promise<Omit<InputChangeCommand, 'id' | 'at' | 'by'>> {
  if (input === undefined && lane === undefined && !remove) {
    throw new InputError('input.invalid', 'changeInput takes { input }, { lane } or { remove: true }.')
  }
  return {
    type: 'input-change',
    inputId,
    ...(lane !== undefined && { lane }),
    ...(remove && { remove }),
    ...(input !== undefined && { parts: await stored(input) }),
  }
}
