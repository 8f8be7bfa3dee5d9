import { Markdown } from '@storybook/addon-docs/blocks'
import type { ReactNode } from 'react'

/** A page of `docs/hooks`, as it is there. */
export function Guide({ of }: { readonly of: string }): ReactNode {
  return <Markdown>{linked(of)}</Markdown>
}

/** Links to other hooks lead to their pages here. Guides that have none here are named. */
function linked(text: string): string {
  return text
    .replaceAll(/\]\((\w+)\.md\)/g, (_link, hook: string) => `](?path=/docs/hooks-${hook.toLowerCase()}--docs)`)
    .replaceAll(/\[([^\]]+)\]\(\.\.\/([\w-]+\.md)\)/g, '$1 (`docs/$2`)')
}
