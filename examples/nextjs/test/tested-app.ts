import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type AppOptions, type RunningApp, startApp } from './app.ts'

/** Chromium itself says in the console that a page or a request was refused. */
export const REFUSED = /the server responded with a status of 404/

/** One app for the tests of a file. Each of them has to leave it without a complaint, but for what is expected. */
export function testedApp(options: AppOptions, expected?: RegExp): Omit<RunningApp, 'leave' | 'close'> {
  let app: RunningApp
  beforeAll(async () => {
    app = await startApp(options)
  })
  afterEach(async () => expect(await app.leave(expected)).toEqual([]))
  afterAll(() => app.close())
  return {
    get network() {
      return app.network
    },
    visit: (context) => app.visit(context),
    signedIn: (name, context) => app.signedIn(name, context),
  }
}
