/** Programs that run the command that follows among their arguments. */
const RUNNERS = new Set(
  (
    'env sudo doas su nice ionice nohup time timeout gtimeout stdbuf setsid command builtin exec xargs parallel find fd ' +
    'busybox toybox watch strace ltrace chroot unshare nsenter flock script caffeinate chronic entr npx bunx pnpx ' +
    'ssh docker podman kubectl proot firejail bwrap systemd-run runuser taskset chrt numactl unbuffer'
  ).split(' '),
)

/** Programs that take a command line, or a whole script, in one argument. */
const SHELLS = new Set(
  'sh bash dash zsh ksh mksh ash fish rbash eval su ssh watch script flock parallel env trap'.split(' '),
)

/** Builtins after which the same words may mean something else, or be meant for another directory. */
const STATE_CHANGERS = new Set(
  (
    'alias unalias hash enable export declare typeset readonly local let read source . eval trap set unset shopt setopt ' +
    'unsetopt emulate exec command builtin getopts mapfile readarray bind bindkey cd chdir pushd popd umask function autoload zmodload'
  ).split(' '),
)

/** The program's own name: without its folder, in any case. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).toLowerCase()
}

export function changesShell(words: readonly string[]): boolean {
  const [name = '', option = ''] = words
  return STATE_CHANGERS.has(name) || (name === 'printf' && option.startsWith('-v'))
}

/** A wrapped command begins within so many words, behind the runner's own options. */
const MAX_WORDS = 50

export interface Wrapped {
  /** As words. */
  readonly commands: readonly (readonly string[])[]
  /** As text. */
  readonly scripts: readonly string[]
  /** Not everything was looked at. */
  readonly isCut: boolean
}

/**
 * What a command may run in its turn. Too much rather than too little: only rules that deny or ask look at it.
 */
export function wrappedIn(words: readonly string[]): Wrapped {
  const name = programName(words[0] ?? '')
  const rest = words.slice(1)
  const isRunner = RUNNERS.has(name)
  const isShell = SHELLS.has(name)
  const near = rest.slice(0, MAX_WORDS)
  return {
    commands: isRunner ? near.map((_, i) => rest.slice(i)) : [],
    scripts: isShell ? [...near, ...(rest.length > 1 ? [rest.join(' ')] : [])] : [],
    isCut: (isRunner || isShell) && rest.length > MAX_WORDS,
  }
}
