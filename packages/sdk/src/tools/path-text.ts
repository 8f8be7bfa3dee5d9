/** `['when', 'minutes']` is `when.minutes`, `['items', 0, 'a b']` is `items[0]["a b"]`, `['items', '*']` is `items[*]`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number' || key === '*') text += `[${key}]`
    else if (typeof key === 'string' && !/^[\p{L}\p{N}_$-]+$/u.test(key)) text += `[${JSON.stringify(key)}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text
}
