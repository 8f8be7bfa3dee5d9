import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type Block, root } from './blocks.ts'

/** Where the unions are declared that a guide lists whole. */
const LISTED = {
  ErrorCode: join(root, 'packages/sdk/src/protocol/errors.ts'),
  FinishReason: join(root, 'packages/sdk/src/protocol/events.ts'),
  NoticeCode: join(root, 'packages/sdk/src/protocol/notices.ts'),
  HookName: join(root, 'packages/sdk/src/plugins/plugin.ts'),
} as const

/** All blocks in one program, as strictly as the packages themselves. */
export interface CompiledBlocks {
  /** What the compiler says about a block, with its guide's line; empty when it is right. */
  problems(block: Block): string[]
  /** The string literals of an exported union type. */
  literals(type: keyof typeof LISTED): string[]
}

export function compile(blocks: readonly Block[]): CompiledBlocks {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => readFileSync(file, 'utf8'))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  // Node's own fetch is undici: its types are there, and guides name the package.
  const settings = { ...options, paths: { undici: [join(root, 'node_modules/undici-types/index.d.ts')] } }
  const sources = new Map(blocks.map((block) => [pathOf(block), block.preamble + GAP + block.code]))
  const host = ts.createCompilerHost(settings)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => sources.has(path) || fileExists(path)
  host.readFile = (path) => sources.get(path) ?? readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    const text = sources.get(path)
    return text === undefined ? getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version, true)
  }
  const program = ts.createProgram([...sources.keys(), ...Object.values(LISTED)], settings, host)

  function problemsOf(block: Block): string[] {
    const file = program.getSourceFile(pathOf(block))
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
    return found.map(({ start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) - linesOf(block.preamble)
      return `line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  }
  // All of it now: the first file that is checked pays for all the sources behind it.
  const problems = new Map(blocks.map((block) => [block, problemsOf(block)]))

  return {
    problems: (block) => problems.get(block) ?? [],
    literals(type) {
      const file = program.getSourceFile(LISTED[type])
      const alias = file?.statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === type)
      if (alias === undefined) throw new Error(`There is no type ${type}.`)
      const union = program.getTypeChecker().getTypeAtLocation(alias)
      return (union.isUnion() ? union.types : [union]).map((one) => String((one as ts.StringLiteralType).value))
    },
  }
}

/** A block as a CommonJS body: it may `await`, once it stands in an async function. */
export function transpiled(block: Block): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    jsx: ts.JsxEmit.ReactJSX,
  }
  return ts.transpileModule(block.preamble + GAP + block.code, { compilerOptions }).outputText
}

const GAP = '\n'

function linesOf(text: string): number {
  return text.split('\n').length
}

function pathOf({ name, kind }: Block): string {
  return join(root, 'packages/sdk/test/docs', `${name.replace(/[^\w]/g, '-')}.block.${kind}`)
}
