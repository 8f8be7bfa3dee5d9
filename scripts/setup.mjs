// Makes this clone ready to test or run: installs and builds what is missing or stale, and is quick when nothing is.
import { installChromium } from './chromium.mjs'
import { build, install } from './lib.mjs'

install()
build()
installChromium()
