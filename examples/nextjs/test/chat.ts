import type { Locator, Page } from 'playwright-core'

/** What a person sees and does in a conversation. */
export function chatOf(page: Page) {
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  const tool = (name: string | RegExp): Locator => page.getByRole('region', { name })
  return {
    message,
    tool,
    queue: page.getByRole('region', { name: 'Waiting messages' }),
    async say(text: string): Promise<void> {
      await message.fill(text)
      await message.press('Enter')
    },
    /** After what is under way. */
    async sayLater(text: string): Promise<void> {
      await message.fill(text)
      await message.press('Control+Enter')
    },
    press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    sees: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    heading: (name: string) => page.getByRole('heading', { name }).waitFor(),
    /** What is in the transcript, as text. */
    transcript: () => page.getByRole('log').textContent(),
  }
}
