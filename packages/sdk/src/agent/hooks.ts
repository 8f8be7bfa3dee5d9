// What plugins do, loaded where an agent has any.

export { heldReply } from './held-reply.ts'
export { transformedInput } from './input-hook.ts'
// Who has plugins needs these as well. Brought along, they leave what is loaded first in one piece, for who has none.
export * from './rare.ts'
export { beginSession, endSessions } from './session-hooks.ts'
export { afterTool, aroundTool, beforeTool, refusedEdit, toolOutput } from './tool-hooks.ts'
export { afterTurn, beforeTurn, stopped, verifyStop } from './turn-hooks.ts'
export { withPlugins } from './with-plugins.ts'
