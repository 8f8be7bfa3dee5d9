// npm run docs:api: a page for every import, with all it exports, from the docstrings.
import { readFileSync } from 'node:fs'

/** What people import, by the file it is. */
const imports = new Map(
  ['sdk', 'react'].flatMap((folder) => {
    const { name, exports } = JSON.parse(
      readFileSync(new URL(`packages/${folder}/package.json`, import.meta.url), 'utf8'),
    )
    return Object.entries(exports).flatMap(([subpath, { '@stepwell/source': source }]) =>
      source === undefined ? [] : [[`packages/${folder}/${source.slice(2)}`, `${name}${subpath.slice(1)}`]],
    )
  }),
)

/** Modules have the names of imports, not of files. */
function nameModules(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? []) {
      const [source] = module.sources ?? []
      module.name = imports.get(source?.fileName) ?? module.name
    }
  })
}

export default {
  name: 'Stepwell',
  entryPoints: [...imports.keys()],
  tsconfig: 'tsconfig.json',
  // check:types looks at all of it.
  skipErrorChecking: true,
  out: 'api',
  plugin: ['typedoc-plugin-markdown', nameModules],
  outputFileStrategy: 'modules',
  hidePageHeader: true,
  readme: 'none',
  sourceLinkTemplate: '{path}:{line}',
  disableGit: true,
  excludePrivate: true,
  excludeInternal: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
}
