export { SessionDevtools, type SessionDevtoolsProps } from './session-devtools.tsx'
