// What few requests need, loaded together when one does. Chunks that share code with the core cost more than they save,
// so there is this one.
export { connectionError, streamError } from './errors.ts'
export { responseError } from './failed-response.ts'
export { reportedError } from './reported-error.ts'
export { headersFailure, missingKey, requestError } from './request-errors.ts'
export { wireSchema } from './schema-dialect.ts'
