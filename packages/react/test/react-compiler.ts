import { transformAsync } from '@babel/core'
import compiler from 'babel-plugin-react-compiler'
import type { Plugin } from 'vite'

/** What the build holds, and a transcript of an app: files that React Compiler is let loose on. */
const COMPILED = /\/packages\/react\/(src\/.+|test\/chat)\.tsx?$/

/**
 * React Compiler, on what the build step makes of a file: JavaScript without types or JSX. That is how it meets this
 * package in an app that compiles its dependencies.
 */
export function reactCompiler(): Plugin {
  return {
    name: 'react-compiler',
    enforce: 'post',
    async transform(code, id) {
      if (!COMPILED.test(id)) return null
      const compiled = await transformAsync(code, {
        filename: id,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        plugins: [compiler],
      })
      return compiled?.code == null ? null : { code: compiled.code, map: compiled.map ?? null }
    },
  }
}
