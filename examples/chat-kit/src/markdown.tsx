import { type ReactNode, useRef } from 'react'
import rehypeHighlight from 'rehype-highlight'
import { type Components, defaultRehypePlugins, Streamdown } from 'streamdown'
import { CopyButton } from './copy-button.tsx'
import { scrollable } from './scrollable.ts'

/** The colours come last: what is not allowed is taken out before. */
const rehypePlugins = [...Object.values(defaultRehypePlugins), rehypeHighlight]

const PLAIN = 'h1 h2 h3 h4 p ul ol li hr strong blockquote code thead tbody tr th td'

const components: Components = {
  ...Object.fromEntries(PLAIN.split(' ').map((tag) => [tag, tag])),
  pre: Code,
  table: Table,
  a: Anchor,
}

/** Markdown while it is being written: only the block that grows is read anew. */
export function Markdown({ text, isStreaming }: { readonly text: string; readonly isStreaming: boolean }): ReactNode {
  return (
    <Streamdown
      className="markdown"
      dir="auto"
      components={components}
      rehypePlugins={rehypePlugins}
      isAnimating={isStreaming}
      controls={false}
    >
      {text}
    </Streamdown>
  )
}

/** Of an element of the text. Streamdown’s types say no more of it. */
interface Content {
  readonly children?: unknown
  readonly node?: unknown
}

function Code({ children }: Content): ReactNode {
  const block = useRef<HTMLPreElement>(null)
  return (
    <div className="code" dir="ltr">
      <pre ref={block} {...scrollable}>
        {children as ReactNode}
      </pre>
      <CopyButton label="Copy code" read={() => block.current?.textContent ?? ''} />
    </div>
  )
}

function Table({ children }: Content): ReactNode {
  return (
    <div className="table" {...scrollable}>
      <table>{children as ReactNode}</table>
    </div>
  )
}

function Anchor({ href, children }: Content & { readonly href?: unknown }): ReactNode {
  return (
    <a href={String(href)} target="_blank" rel="noreferrer">
      {children as ReactNode}
    </a>
  )
}
