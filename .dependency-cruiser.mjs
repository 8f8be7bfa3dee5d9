// Who may import whom. Arrows go one way; a folder not named here has no place yet and fails.
const leaves = ['providers', 'tools', 'permissions', 'guards', 'context', 'budget', 'stores', 'bus']
const loop = ['protocol', ...leaves, 'plugins', 'agent']
const outer = ['engine', 'tasks', 'deliverables', 'wire', 'mcp']

/** Folder of packages/sdk/src: the other folders it may import. */
const arrows = {
  protocol: [],
  ...Object.fromEntries(leaves.map((leaf) => [leaf, ['protocol']])),
  context: ['protocol', 'tools'],
  plugins: ['protocol', 'tools'],
  agent: ['protocol', ...leaves, 'plugins'],
  ...Object.fromEntries(outer.map((room) => [room, loop])),
  headless: loop,
  otel: ['protocol', 'plugins'],
  view: ['protocol'],
  testing: [...loop, ...outer, 'view'],
}

const src = '^packages/sdk/src/'
const tests = '\\.test\\.tsx?$|^packages/[^/]+/test/'
const isRoom = `${src}(${Object.keys(arrows).join('|')})/`

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'What is loaded late may build on what loads it.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    {
      name: 'imports-resolve',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...Object.entries(arrows).map(([room, allowed]) => ({
      name: `arrows-of-${room}`,
      severity: 'error',
      from: { path: `${src}${room}/`, pathNot: tests },
      to: { path: '^packages/', pathNot: `${src}(${[room, ...allowed].join('|')})/` },
    })),
    {
      name: 'every-folder-has-its-arrows',
      comment: 'Add the new folder to the map in .dependency-cruiser.mjs',
      severity: 'error',
      from: { path: `${src}[^/]+/`, pathNot: isRoom },
      to: {},
    },
    {
      name: 'every-imported-folder-has-its-arrows',
      severity: 'error',
      from: {},
      to: { path: `${src}[^/]+/`, pathNot: isRoom },
    },
    {
      name: 'only-tests-import-testing',
      severity: 'error',
      from: { path: '^packages/', pathNot: [`${src}testing/`, tests] },
      to: { path: `${src}testing/` },
    },
    {
      name: 'schemas-stay-out-of-the-types',
      comment: 'The reducer and the types of protocol run without zod and without the wire schemas',
      severity: 'error',
      from: { path: `${src}protocol/`, pathNot: [`${src}protocol/wire/`, tests] },
      to: { path: [`${src}protocol/wire/`, '(^|/)node_modules/zod/'] },
    },
    {
      name: 'react-imports-the-published-sdk',
      comment: 'packages/react sees @stepwell/sdk by its subpaths only',
      severity: 'error',
      from: { path: '^packages/react/src/', pathNot: tests },
      to: { path: '^packages/sdk/', dependencyTypes: ['local'] },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { path: tests },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|/node_modules/.*/node_modules/|/create-stepwell/template/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@stepwell/source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
}
