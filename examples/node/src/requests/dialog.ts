import type { Resolution } from '@stepwell/sdk'
import type { KeyPress } from '../terminal/keyboard.ts'
import type { Panel } from '../terminal/panel.ts'

/** Asks a person about one request. */
export interface Dialog {
  /** What it is about, written above once. */
  readonly intro: string
  panel(): Panel
  /** The answer, once there is one. `stop`: rather than answer, they stop the run. */
  press(key: KeyPress): Resolution | 'stop' | undefined
}
