import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, type BrowserContextOptions, type Cookie, chromium, type Page } from 'playwright-core'
import { Relay } from './relay.ts'
import { Watch } from './watch.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const NEXT = join(ROOT, 'node_modules/next/dist/bin/next')
const APP = join(ROOT, 'examples/nextjs')

/** The built app with a store of its own, and a browser. */
export interface RunningApp {
  /** What lies between the browser and the server. */
  readonly network: Relay
  /** A browser of its own profile. What its console says and what moves in it by itself is written down. */
  visit(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A page of a person who has signed in: the first time at the door, then with the cookie from there. */
  signedIn(name: string, options?: BrowserContextOptions): Promise<Page>
  /** Closes all pages. Gives what a careful person would have complained about, but for what is expected. */
  leave(expected?: RegExp): Promise<readonly string[]>
  close(): Promise<void>
}

export interface AppOptions {
  /** Between two words of the scripted model, ms. */
  readonly pauseMs: number
  /** Between two lines of the checks, ms. */
  readonly stepMs: number
}

export async function startApp({ pauseMs, stepMs }: AppOptions): Promise<RunningApp> {
  const data = await mkdtemp(join(tmpdir(), 'stepwell-web-'))
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
    STEPWELL_DATA: data,
    STEPWELL_PAUSE_MS: String(pauseMs),
    STEPWELL_STEP_MS: String(stepMs),
  }
  const server = spawn(process.execPath, [NEXT, 'start', '--port', '0', '--hostname', '127.0.0.1'], { cwd: APP, env })
  const network = await Relay.to(await addressOf(server.stdout))
  const executablePath = execFileSync(process.execPath, [join(ROOT, 'scripts/chromium.mjs')], {
    encoding: 'utf8',
  }).trim()
  const browser = await chromium.launch({ executablePath })
  const cookiesOf = new Map<string, Cookie[]>()
  let watch = new Watch()

  async function visit(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: network.url, ...options })
    await watch.over(context)
    return context
  }

  return {
    network,
    visit,
    async signedIn(name, options) {
      const context = await visit(options)
      const page = await context.newPage()
      const cookies = cookiesOf.get(name)
      if (cookies === undefined) {
        await page.goto('/sign-in')
        await page.getByRole('button', { name }).click()
      } else {
        await context.addCookies(cookies)
        await page.goto('/chat')
      }
      await page.getByRole('heading', { name: 'What shall we do?' }).waitFor()
      cookiesOf.set(name, await context.cookies())
      return page
    },
    async leave(expected) {
      await Promise.all(browser.contexts().map((context) => context.close()))
      const complaints = watch.complaints.filter((text) => !expected?.test(text))
      watch = new Watch()
      return complaints
    },
    async close() {
      await browser.close()
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      await network.close()
      await rm(data, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Goes on reading after it: a full pipe would hold the server up. */
function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    output.on('data', (chunk) => {
      said += String(chunk)
      const address = /https?:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (address !== undefined) resolve(address)
    })
    output.on('end', () => reject(new Error(`The server ended: ${said}`)))
  })
}
