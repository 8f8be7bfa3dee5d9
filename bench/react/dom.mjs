// jsdom as the page. Imported before React, which looks for one when it is loaded.
import { JSDOM } from 'jsdom'

const { window } = new JSDOM('<!doctype html><body></body>', { url: 'http://bench/', pretendToBeVisual: true })
globalThis.window = window
for (const name of ['document', 'HTMLElement', 'Element', 'Node']) globalThis[name] = window[name]
for (const name of ['requestAnimationFrame', 'cancelAnimationFrame']) globalThis[name] = window[name].bind(window)
