// What an ordinary run never needs, loaded when it is first needed.

export { toolInputSchema } from '../tools/schema.ts'
export { stepAfterAnswer } from './answers.ts'
export { stepBeforeAnswer } from './approvals.ts'
export { askPerson } from './ask.ts'
export { fork } from './fork.ts'
export { historyEvents } from './history.ts'
export { judgeCommand } from './judge-command.ts'
export { outputEnding } from './output.ts'
export { refuseEdit } from './refuse-edit.ts'
export { screenedCommand } from './screened-command.ts'
export { screening } from './screening.ts'
export { settledInput } from './settled.ts'
