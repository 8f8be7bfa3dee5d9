/**
 * All within one class, and all that the page might have said before is taken back: neither reaches the other. Without
 * quotes and angle brackets, which a server with React 18 would write in another way than the page does.
 */
export const STYLES = `
.stepwell-devtools {
  all: initial;
  color-scheme: light dark;
  --swd-bg: light-dark(#ffffff, #1b1b1d);
  --swd-soft: light-dark(#f4f4f6, #242427);
  --swd-line: light-dark(#dfdfe4, #38383d);
  --swd-text: light-dark(#1d1d20, #e9e9ec);
  --swd-dim: light-dark(#5c5c66, #a6a6b0);
  --swd-accent: light-dark(#4338ca, #a5b4fc);
  --swd-on: light-dark(#e7e5fb, #33335c);
  font: 13px/1.5 ui-sans-serif, system-ui, sans-serif;
  color: var(--swd-text);
}
.stepwell-devtools *, .stepwell-devtools *::before, .stepwell-devtools *::after { box-sizing: border-box; }
.stepwell-devtools :is(h2, h3, p, dl, dd, fieldset) { margin: 0; padding: 0; border: 0; font: inherit; }
.stepwell-devtools :is(code, .swd-seq, .swd-type, .swd-tree, .swd-leaf, pre) {
  font-family: ui-monospace, Menlo, Consolas, monospace;
  font-size: 12px;
}
.stepwell-devtools button {
  min-height: 24px;
  padding: 0 8px;
  border: 1px solid var(--swd-line);
  border-radius: 6px;
  background: var(--swd-bg);
  color: inherit;
  font: inherit;
  cursor: pointer;
}
.stepwell-devtools button:hover:not(:disabled) { background: var(--swd-soft); }
.stepwell-devtools button:disabled { opacity: .5; cursor: default; }
.stepwell-devtools button[aria-pressed=true] {
  border-color: transparent;
  background: var(--swd-on);
  color: var(--swd-accent);
  font-weight: 600;
}
.stepwell-devtools :focus-visible { outline: 2px solid var(--swd-accent); outline-offset: -1px; }
.stepwell-devtools .swd-unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.stepwell-devtools .swd-launch {
  position: fixed;
  z-index: 2147483000;
  top: 40%;
  right: 0;
  padding: 12px 2px;
  border-radius: 8px 0 0 8px;
  border-right: 0;
  writing-mode: vertical-rl;
  box-shadow: 0 2px 10px rgb(0 0 0 / 15%);
}
.stepwell-devtools .swd-dock {
  position: fixed;
  z-index: 2147483000;
  inset: auto 0 0;
  display: flex;
  flex-direction: column;
  height: min(26rem, 60vh);
  border-top: 1px solid var(--swd-line);
  background: var(--swd-bg);
  box-shadow: 0 -4px 24px rgb(0 0 0 / 12%);
}
.stepwell-devtools .swd-head, .stepwell-devtools .swd-line {
  display: flex;
  align-items: center;
  flex-wrap: wrap;
  gap: 6px 12px;
}
.stepwell-devtools .swd-head { padding: 6px 12px; border-bottom: 1px solid var(--swd-line); }
.stepwell-devtools .swd-head h2 { font-weight: 600; }
.stepwell-devtools .swd-timeline { display: flex; flex: 1 1 16rem; align-items: center; gap: 8px; min-width: 0; }
.stepwell-devtools .swd-timeline input { flex: 1; min-width: 0; accent-color: var(--swd-accent); }
.stepwell-devtools .swd-timeline output { color: var(--swd-dim); font-variant-numeric: tabular-nums; white-space: nowrap; }
.stepwell-devtools .swd-error { padding: 6px 12px; color: light-dark(#b3261e, #f2918a); }
.stepwell-devtools .swd-columns {
  display: grid;
  flex: 1;
  grid-template-columns: minmax(18rem, 2fr) minmax(20rem, 3fr);
  grid-template-rows: minmax(0, 1fr);
  min-height: 0;
}
.stepwell-devtools .swd-list, .stepwell-devtools .swd-detail {
  display: flex;
  flex-direction: column;
  gap: 6px;
  min-width: 0;
  min-height: 0;
  padding: 8px 12px;
}
.stepwell-devtools .swd-detail { border-left: 1px solid var(--swd-line); }
.stepwell-devtools .swd-filter, .stepwell-devtools .swd-filter fieldset, .stepwell-devtools .swd-tabs {
  display: flex;
  flex-wrap: wrap;
  gap: 4px;
}
.stepwell-devtools .swd-filter input {
  flex: 1 1 6rem;
  min-width: 0;
  padding: 0 8px;
  border: 1px solid var(--swd-line);
  border-radius: 6px;
  background: var(--swd-bg);
  color: inherit;
  font: inherit;
}
.stepwell-devtools .swd-filter input::placeholder { color: var(--swd-dim); opacity: 1; }
.stepwell-devtools .swd-rows, .stepwell-devtools .swd-panel { flex: 1; min-height: 0; overflow: auto; }
.stepwell-devtools .swd-row {
  display: grid;
  grid-template-columns: 4.5em 12em minmax(0, 1fr);
  gap: 8px;
  padding: 1px 6px;
  border-radius: 4px;
  cursor: default;
  white-space: nowrap;
}
.stepwell-devtools .swd-row span { overflow: hidden; text-overflow: ellipsis; }
.stepwell-devtools .swd-row:hover { background: var(--swd-soft); }
.stepwell-devtools .swd-row[aria-selected=true] { background: var(--swd-on); }
.stepwell-devtools :is(.swd-seq, .swd-hint, .swd-summary, caption) { color: var(--swd-dim); }
.stepwell-devtools .swd-hint code { margin-inline-end: 6px; color: var(--swd-text); }
.stepwell-devtools .swd-row:is([data-kind=runs], [data-kind=people]) .swd-type { font-weight: 600; }
.stepwell-devtools .swd-row[data-kind=deltas] .swd-type { color: var(--swd-dim); }
.stepwell-devtools .swd-tree .swd-tree, .stepwell-devtools .swd-leaf { padding-inline-start: 14px; }
.stepwell-devtools .swd-leaf { overflow-wrap: anywhere; white-space: pre-wrap; }
.stepwell-devtools .swd-tree .swd-leaf { padding-inline-start: 28px; }
.stepwell-devtools summary { cursor: pointer; }
.stepwell-devtools .swd-name { color: var(--swd-accent); }
.stepwell-devtools .swd-facts {
  display: grid;
  grid-template-columns: max-content 1fr;
  gap: 0 12px;
  padding-block: 6px;
}
.stepwell-devtools .swd-facts dt { color: var(--swd-dim); }
.stepwell-devtools .swd-message { padding: 6px 0; border-top: 1px solid var(--swd-line); }
.stepwell-devtools .swd-message h3 { color: var(--swd-accent); font-weight: 600; }
.stepwell-devtools .swd-message :is(p, pre) { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.stepwell-devtools .swd-message pre { margin-block: 2px; padding: 4px 8px; border-radius: 6px; background: var(--swd-soft); }
.stepwell-devtools .swd-usage { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.stepwell-devtools caption { padding-bottom: 4px; text-align: start; }
.stepwell-devtools :is(th, td) { padding: 2px 8px 2px 0; border-bottom: 1px solid var(--swd-line); text-align: start; }
@media (max-width: 46rem) {
  .stepwell-devtools .swd-dock { height: 75vh; }
  .stepwell-devtools .swd-head h2 { flex: 1; }
  .stepwell-devtools .swd-timeline { order: 1; flex-basis: 100%; }
  .stepwell-devtools .swd-columns { grid-template-columns: minmax(0, 1fr); grid-template-rows: minmax(0, 1fr) minmax(0, 1fr); }
  .stepwell-devtools .swd-detail { border-left: 0; border-top: 1px solid var(--swd-line); }
  .stepwell-devtools .swd-row { grid-template-columns: 4em 10em minmax(0, 1fr); }
}
`
