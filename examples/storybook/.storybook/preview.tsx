import type { Decorator, Preview } from '@storybook/react-vite'
import { useLayoutEffect } from 'react'
import 'stepwell-example-chat-kit/styles.css'
import '../src/styles/replay.css'

/** On the page's root, where an app has them: styles and the browser's own controls follow. */
const withPage: Decorator = (Story, { globals }) => {
  const { theme, direction } = globals
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = String(theme)
    document.documentElement.dir = String(direction)
  }, [theme, direction])
  return <Story />
}

const preview: Preview = {
  decorators: [withPage],
  parameters: {
    layout: 'fullscreen',
    a11y: { test: 'error' },
    controls: { disable: true },
    docs: { story: { inline: false, iframeHeight: 620 } },
    options: { storySort: { order: ['Introduction', 'Conversation', 'Tools', 'Requests', 'Queue'] } },
  },
  initialGlobals: { theme: 'system', direction: 'ltr' },
  globalTypes: {
    theme: {
      description: 'Colours',
      toolbar: {
        icon: 'circlehollow',
        items: [
          { value: 'system', title: 'As the system' },
          { value: 'light', title: 'Light' },
          { value: 'dark', title: 'Dark' },
        ],
        dynamicTitle: true,
      },
    },
    direction: {
      description: 'Direction of the page',
      toolbar: {
        icon: 'transfer',
        items: [
          { value: 'ltr', title: 'Left to right' },
          { value: 'rtl', title: 'Right to left' },
        ],
        dynamicTitle: true,
      },
    },
  },
}

export default preview
