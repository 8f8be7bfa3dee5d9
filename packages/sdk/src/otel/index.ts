export { type OtelOptions, otel } from './otel.ts'
