import type { Request } from '@stepwell/sdk'
import type { Style } from '../terminal/style.ts'
import { approvalDialog } from './approval.ts'
import type { Dialog } from './dialog.ts'
import { planDialog } from './plan.ts'
import { questionDialog } from './questions.ts'

/** How a request is asked; undefined where this terminal has no way to answer it. */
export function dialogFor(request: Request, style: Style): Dialog | undefined {
  switch (request.kind) {
    case 'approval':
      return approvalDialog(request, style)
    case 'question':
      return questionDialog(request)
    case 'plan':
      return planDialog(request, style)
    case 'client-tool':
      return undefined
  }
}
