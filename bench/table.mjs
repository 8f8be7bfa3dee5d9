const figure = (value) => (value === undefined || !Number.isFinite(value) ? '-' : value.toFixed(value < 10 ? 2 : 1))

/** One line a row, in the unit it says; with what is wrong with it at the end. */
export function printTable(rows, peers) {
  const header = ['work', 'unit', 'us', 'floor', 'ratio', 'limit', ...peers, '']
  const lines = rows.map((row) => [
    row.work,
    row.unit,
    figure(row.us),
    figure(row.floor),
    Number.isNaN(row.ratio) ? '-' : row.ratio.toFixed(2),
    figure(row.limit),
    ...peers.map((name) => figure(row.peers[name])),
    verdict(row),
  ])
  const widths = header.map((_, column) => Math.max(...[header, ...lines].map((line) => line[column].length)))
  for (const line of [header, ...lines])
    console.log(line.map((cell, column) => aligned(cell, column, widths)).join('  '))
  for (const { work, unit, bareFloor } of rows) {
    if (bareFloor) console.log(`${work}: the floor alone takes ${figure(bareFloor)} ${unit}`)
  }
}

function verdict({ us, isOver, behind }) {
  if (us === undefined) return ''
  const wrong = [...(isOver ? ['over its limit'] : []), ...(behind.length > 0 ? [`behind ${behind.join(', ')}`] : [])]
  return wrong.length > 0 ? `FAIL ${wrong.join(', ')}` : 'ok'
}

function aligned(cell, column, widths) {
  return column < 2 || column === widths.length - 1 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
}
