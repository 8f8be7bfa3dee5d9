/** The one of `names` that was most likely meant by `name`, if any is close. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue
    const distance = editDistance(plain(name), plain(candidate))
    if (distance < least) {
      least = distance
      nearest = candidate
    }
  }
  return nearest
}

/** Models change case and separators more often than letters. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_./\s]/g, '')
}

/** How many insertions, deletions and replacements lie between two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
