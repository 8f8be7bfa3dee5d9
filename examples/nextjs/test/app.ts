import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const NEXT = join(ROOT, 'node_modules/next/dist/bin/next')
const APP = join(ROOT, 'examples/nextjs')

/** The built app with a store of its own, and a browser. */
export interface RunningApp {
  readonly url: string
  readonly browser: Browser
  /** A page of a person who has signed in. `complaints` collects what its console says. */
  signedIn(name: string): Promise<{ readonly page: Page; readonly complaints: readonly string[] }>
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
  const url = await addressOf(server.stdout)
  const executablePath = execFileSync(process.execPath, [join(ROOT, 'scripts/chromium.mjs')], {
    encoding: 'utf8',
  }).trim()
  const browser = await chromium.launch({ executablePath })
  return {
    url,
    browser,
    async signedIn(name) {
      const page = await (await browser.newContext()).newPage()
      const complaints: string[] = []
      page.on('console', (said) => {
        if (said.type() === 'error' || said.type() === 'warning') complaints.push(said.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.goto(`${url}/sign-in`)
      await page.getByRole('button', { name }).click()
      await page.getByRole('heading', { name: 'What shall we do?' }).waitFor()
      return { page, complaints }
    },
    async close() {
      await browser.close()
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
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
