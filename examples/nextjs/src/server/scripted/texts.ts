export const ARABIC = `أنا نموذج **مكتوب مسبقًا**، وهذه الصفحة تعرض النص من اليمين إلى اليسار.

1. العناوين والقوائم تتبع اتجاه النص.
2. أما الشيفرة فتبقى من اليسار إلى اليمين:

\`\`\`ts
const greeting = 'مرحبا'
\`\`\`

> كل رسالة تختار اتجاهها بنفسها.`

export const LONG = `## A session is a log

Everything that happens in a conversation is one **append-only log of events**. What you watch live, what you see after a reload, and what the model is sent next are the *same events*, folded by the same function.

\`\`\`ts
let state = initialState('s-1')

for await (const batch of store.read('s-1')) {
  state = reduce(state, batch)
}
\`\`\`

Reload this page while I write: the text goes on where it was, for the page is only another reader of the log.

### Why not keep the messages?

A list of messages says what was said. A log also says what happened:

| question | messages | log |
| --- | :---: | :---: |
| What was said? | yes | yes |
| Who allowed that edit? | no | yes |
| What did it cost? | no | yes |
| Where was it when the process died? | no | yes |

### Three promises

1. **Written before shown.** Nobody sees an event that the store does not hold.
2. **One run at a time.** Whoever asks, from whichever window.
3. **Nothing is eaten.** What you send is taken up, waits, or comes back to you.

> Press *Stop* now, and what you had queued comes back into the composer.

### While I write

You can steer me: whatever you send is in my next request. You can queue something with Ctrl+Enter, edit it while it waits, or take it back with the arrow key. You can open this session in a second window and watch it there.

A small example of what a reader does with the events:

\`\`\`ts
session.subscribe((state, { events }) => {
  for (const event of events) {
    if (event.type === 'finish') console.log(event.reason)
  }
})
\`\`\`

### What to try next

- Reload in the middle of a sentence.
- Turn the network off for a moment: the page says so, and catches up by itself.
- Answer an approval in one window while another one shows it.

That is all there is to it. The rest is a matter of *folding carefully*.`
