import base from '../../tsup.base.ts'

// The program of the package's `bin`, beside its subpaths.
export default { ...base, entry: { ...base.entry, stepwell: 'src/headless/cli/stepwell.node.ts' } }
