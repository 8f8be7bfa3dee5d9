import base from '../../tsup.base.ts'

// Beside the subpaths the program of the package's `bin`, of which nobody needs the types.
export default {
  ...base,
  entry: { ...base.entry, stepwell: 'src/headless/cli/stepwell.node.ts' },
  dts: { ...base.dts, entry: base.entry },
}
