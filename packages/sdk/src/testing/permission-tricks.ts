import type { Operation } from '../protocol/permissions.ts'

/** The rules the tricks try to get around; the level is `default`. */
export const TRICKED_RULES = {
  allow: ['bash(git status)', 'bash(git log *)', 'bash(npm run test:*)', 'bash(> ./out/*.log)', 'file(./reports/**)'],
  deny: ['bash(rm *)', 'file(./reports/private/**)', 'file(~/.ssh/**)'],
} as const

export const TRICKED_PLACES = { cwd: '/work', home: '/home/ada' } as const

/** What is linked to what in the world of the tricks. */
export const TRICKED_LINKS: Readonly<Record<string, string>> = {
  '/work/reports/etc': '/etc',
  '/work/reports/dangling': '/etc/cron.d/new',
  '/work/reports/hidden': '/work/reports/private',
  '/work/reports/up': '..',
  '/work/reports/same': './2026',
  '/work/reports/chain': 'etc',
  '/work/reports/ring': 'ring',
  '/work/safe': 'reports',
  '/work/keys': '/home/ada/.ssh',
  '/work/reports/far': '/work-evil/reports',
}

type Verdict = 'allow' | 'ask' | 'deny'
type Trick = readonly [target: string, verdict: Verdict, why: string]

interface TrickKind {
  readonly kind: Operation['kind']
  readonly tricks: readonly Trick[]
}

/** Twelve kinds of trick, ten of each: what is asked for, what comes of it, and why. */
export const PERMISSION_TRICKS: Readonly<Record<string, TrickKind>> = {
  quoting: {
    kind: 'execute',
    tricks: [
      ['git "status"', 'allow', 'quotes around a plain word change nothing'],
      ['g\'i\'t st"at"us', 'allow', 'words are compared, not their spelling'],
      ['\\git status', 'allow', 'a backslash quotes one letter; it is still git'],
      ['"git status"', 'ask', 'one word: a program whose name holds a blank'],
      ["git $'status'", 'ask', 'ANSI-C quotes mean different things to different shells'],
      ["git $'\\x73tatus'", 'ask', 'escapes are decoded by some shells only'],
      ['git $"status"', 'ask', 'a locale may translate the word'],
      ['git "status', 'ask', 'the quote is never closed'],
      ["r''m -rf build", 'deny', 'empty quotes do not hide a denied program'],
      ['r\\m -rf build', 'deny', 'nor does a backslash'],
    ],
  },
  substitution: {
    kind: 'execute',
    tricks: [
      ['git log $(whoami)', 'ask', 'the substituted command was never allowed'],
      ['git log `whoami`', 'ask', 'backticks are the same'],
      ['git log "$(whoami)"', 'ask', 'double quotes do not stop it'],
      ["git log '$(whoami)'", 'allow', 'single quotes do: it is only text'],
      ['git log "\\$(whoami)"', 'allow', 'and so does a backslash'],
      ['git log <(whoami)', 'ask', 'process substitution runs it too'],
      ['git log $((1 + 1))', 'ask', 'arithmetic may run commands in its subscripts'],
      ['git log \x24{x:-$(whoami)}', 'ask', 'a default value is expanded'],
      ['git log $(rm -rf build)', 'deny', 'denied programs are found inside'],
      ['git log "\x24{x:-`rm -rf build`}"', 'deny', 'however deep'],
    ],
  },
  chaining: {
    kind: 'execute',
    tricks: [
      ['git status && git log --oneline', 'allow', 'every part is allowed'],
      ['git status && whoami', 'ask', 'one part is not'],
      ['git status || whoami', 'ask', 'one part is not'],
      ['git status; whoami', 'ask', 'one part is not'],
      ['git status & whoami', 'ask', 'a background command is a part too'],
      ['git status | whoami', 'ask', 'so is the end of a pipe'],
      ['(git status; whoami)', 'ask', 'a subshell is looked into'],
      ['{ git status; whoami; }', 'ask', 'a group is looked into'],
      ['git status && rm -rf build', 'deny', 'one denied part denies the line'],
      ['git status | xargs rm', 'deny', 'what xargs runs is looked at'],
    ],
  },
  redirection: {
    kind: 'execute',
    tricks: [
      ['git status > ./out/status.log', 'allow', 'the file has a rule of its own'],
      ['git status > /dev/null 2>&1', 'allow', 'nothing is kept'],
      ['git status > status.txt', 'ask', 'the file has none'],
      ['git status >> ~/.bashrc', 'ask', 'the shell would change the name'],
      ['> .git/hooks/pre-commit git status', 'ask', 'a redirection may stand first'],
      ['git status >| status.txt', 'ask', 'the file is overwritten'],
      ['git status &> status.txt', 'ask', 'both streams, the same file'],
      ['git status > ./out/../.env.log', 'ask', 'the path is resolved first'],
      ['git log < secrets.txt', 'ask', 'what a program is fed needs a rule'],
      ['git log <<EOF\n$(rm -rf build)\nEOF', 'deny', 'a here-document is expanded'],
    ],
  },
  newline: {
    kind: 'execute',
    tricks: [
      ['git status\n', 'allow', 'a newline at the end ends the command'],
      ['git \\\nstatus', 'allow', 'a continued line is one line'],
      ['git status\ngit log --oneline', 'allow', 'both lines are allowed'],
      ['git status\nwhoami', 'ask', 'the second line is not'],
      ['git status # done\nwhoami', 'ask', 'a comment ends with its line'],
      ['git status\r\nwhoami', 'ask', 'control characters are not understood'],
      ['git status\u2028whoami', 'ask', 'nor are unusual separators'],
      ['git log \\', 'ask', 'whatever comes next would be part of it'],
      ['git status\nrm -rf build', 'deny', 'the second line is denied'],
      ['git status\rrm -rf build', 'deny', 'also where a carriage return ends the first'],
    ],
  },
  unicode: {
    kind: 'execute',
    tricks: [
      ['git log --author=Zoë', 'allow', 'letters are letters'],
      ['\u0261it status', 'ask', 'a look-alike g is another program'],
      ['g\u0456t status', 'ask', 'so is a Cyrillic i'],
      ['git\u00a0status', 'ask', 'a no-break space joins the words'],
      ['git\u200b status', 'ask', 'zero-width characters are not understood'],
      ['\ufeffgit status', 'ask', 'nor is a byte order mark'],
      ['git log \u202e--oneline', 'ask', 'nor is text that runs backwards'],
      ['git status\u0000', 'ask', 'nor is NUL'],
      ['r\u200bm -rf build', 'deny', 'an invisible character does not hide a denied program'],
      ['\uff52\uff4d -rf build', 'deny', 'nor do full-width letters'],
    ],
  },
  symlink: {
    kind: 'write',
    tricks: [
      ['reports/same/a.md', 'allow', 'the link stays within the allowed folder'],
      ['reports/etc/passwd', 'ask', 'the folder is a link to /etc'],
      ['reports/chain/passwd', 'ask', 'a link to a link'],
      ['reports/dangling', 'ask', 'what the link points at does not exist yet'],
      ['reports/up/package.json', 'ask', 'the link climbs out'],
      ['reports/etc/../a.md', 'ask', 'for the system, .. starts behind the link'],
      ['reports/ring', 'ask', 'links that form a ring lead nowhere'],
      ['safe/a.md', 'ask', 'a link into the folder is not the folder'],
      ['reports/hidden/a.md', 'deny', 'the link leads to a denied folder'],
      ['keys/id_ed25519', 'deny', 'so does this one'],
    ],
  },
  case: {
    kind: 'write',
    tricks: [
      ['reports/A.md', 'allow', 'any name in the folder'],
      ['Reports/a.md', 'ask', 'another folder, where case counts'],
      ['REPORTS/A.MD', 'ask', 'another folder, where case counts'],
      ['/WORK/reports/a.md', 'ask', 'another folder, where case counts'],
      ['reports/Private/a.md', 'deny', 'the same folder, where case does not count'],
      ['reports/PRIVATE/a.md', 'deny', 'the same folder, where case does not count'],
      ['Reports/private/a.md', 'deny', 'the same folder, where case does not count'],
      ['reports/pr\u0131vate/a.md', 'allow', 'a dotless i is another letter everywhere'],
      ['reports/\uff50rivate/a.md', 'deny', 'some systems take full-width letters for plain ones'],
      ['/home/ada/.SSH/config', 'deny', 'the same folder, where case does not count'],
    ],
  },
  home: {
    kind: 'write',
    tricks: [
      ['~/notes.md', 'ask', 'the home directory is not the allowed folder'],
      ['~', 'ask', 'the home directory itself'],
      ['~ada/reports/a.md', 'ask', 'whose home that is cannot be known'],
      ['~root/.bashrc', 'ask', 'nor can this'],
      ['~+/reports/a.md', 'ask', 'a shell reads this as the working directory, a program does not'],
      ['reports/~/a.md', 'allow', 'inside a path it is a name'],
      ['reports/a.md~', 'allow', 'and at its end too'],
      ['~/.ssh/config', 'deny', 'denied under any name of the home directory'],
      ['~/./.ssh//config', 'deny', 'also when written in a roundabout way'],
      ['/work/../home/ada/.ssh/config', 'deny', 'or reached from elsewhere'],
    ],
  },
  glob: {
    kind: 'execute',
    tricks: [
      ['npm run test:unit', 'allow', 'a star in a rule stands for characters of one word'],
      ['npm run test:unit --fix', 'ask', 'but not for further words'],
      ["git log '*.ts'", 'allow', 'a quoted star is a star'],
      ['git stat*', 'ask', 'the word depends on the files there are'],
      ['git log *.ts', 'ask', 'file names may be options'],
      ['git stat?s', 'ask', 'the word depends on the files there are'],
      ['git [s]tatus', 'ask', 'the word depends on the files there are'],
      ['git {status,push}', 'ask', 'braces make two words in some shells'],
      ['git !(push)', 'ask', 'so do extended patterns'],
      ['rm *', 'deny', 'whatever it would remove'],
    ],
  },
  traversal: {
    kind: 'write',
    tricks: [
      ['reports/2026/../a.md', 'allow', 'it stays in the folder'],
      ['./reports/../secret.md', 'ask', 'it leaves the folder'],
      ['reports/../../etc/passwd', 'ask', 'it leaves the working directory'],
      ['reports-evil/a.md', 'ask', 'a name that only begins the same'],
      ['reports', 'ask', 'the folder itself is not in the folder'],
      ['reports/%2e%2e/secret.md', 'allow', 'a path is no URL: %2e%2e is a name'],
      ['reports\\..\\..\\secret.md', 'ask', 'a backslash is a name here and a slash elsewhere'],
      ['reports/.. /secret.md', 'ask', 'some systems drop blanks at the end of a name'],
      ['reports/\uff0e\uff0e/secret.md', 'ask', 'some systems take full-width dots for dots'],
      ['reports/2026/../private/a.md', 'deny', 'it ends in the denied folder'],
    ],
  },
  environment: {
    kind: 'execute',
    tricks: [
      ['PATH=. git status', 'ask', 'another git may be found'],
      ['GIT_PAGER=./evil git log -p', 'ask', 'variables choose what programs run'],
      ['env PATH=. git status', 'ask', 'env is a program of its own'],
      ['export PATH=.; git status', 'ask', 'it holds for what follows'],
      ['alias git=./evil; git status', 'ask', 'git would be something else'],
      ['git() { ./evil; }; git status', 'ask', 'git would be something else'],
      ['cd /tmp && git status', 'ask', 'another folder, other files'],
      ['git log $BRANCH', 'ask', 'what the variable holds is not known'],
      ['sudo rm -rf build', 'deny', 'what sudo runs is looked at'],
      ['bash -c "git status; rm -rf build"', 'deny', 'and what a shell is told'],
    ],
  },
}
