import type { ReactNode } from 'react'

const PATHS = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  leave: 'M14 4H6v16h8M10 12h10M17 9l3 3-3 3',
  moon: 'M20 14a8 8 0 1 1-10-10 6.5 6.5 0 0 0 10 10Z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  clip: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.5a1.8 1.8 0 0 1-2.5-2.5L15 7',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12l5 5L20 7',
  down: 'M12 5v14M6 13l6 6 6-6',
  chevron: 'M9 6l6 6-6 6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  file: 'M7 3h7l5 5v13H7zM14 3v5h5',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3 2',
  corner: 'M5 5v6a4 4 0 0 0 4 4h10M15 11l4 4-4 4',
  pencil: 'M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4',
  warn: 'M12 4l9 15.5H3zM12 10v4M12 16.6v.4',
  question: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9.6 9.2a2.5 2.5 0 0 1 4.9.7c0 1.6-2.5 2-2.5 3.6M12 16.4v.4',
  cloud: 'M4 5l16 15M8 7.5A6 6 0 0 1 17.7 10 4.5 4.5 0 0 1 20 17.6M16.5 18H7a4.5 4.5 0 0 1-.7-8.9',
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M8.5 6v12M15.5 6v12',
  fold: 'M12 3v6M9 6l3 3 3-3M12 21v-6M9 18l3-3 3 3M4 12h16',
  task: 'M5 7h9M5 12h6M5 17h9M17 14l2 2 3-4',
} as const

export type IconName = keyof typeof PATHS

/** Beside a word, or in a button that has a name of its own. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" data-icon={name} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
