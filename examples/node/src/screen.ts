/** A terminal with a status line below what was written. */
export interface Screen {
  write(text: string): void
  /** Shows the line where nothing else stands on it, or takes it away. Elsewhere than on a terminal it shows nothing. */
  status(line: string | undefined): void
}

const ERASE_LINE = '\r\x1b[2K'

export function createScreen(stream: NodeJS.WriteStream): Screen {
  let isMidLine = false
  let isShown = false

  /** Erasing and writing in one go: nothing flickers. */
  function put(text: string): void {
    stream.write(isShown ? ERASE_LINE + text : text)
  }

  return {
    write(text) {
      if (text === '') return
      put(text)
      isShown = false
      isMidLine = !text.endsWith('\n')
    },
    status(line) {
      if (!stream.isTTY || isMidLine || (line === undefined && !isShown)) return
      put(line ?? '')
      isShown = line !== undefined
    },
  }
}
