/** Follows links as a system would, in a world where there is nothing but these links. */
export function linkedRealpath(links: Readonly<Record<string, string>>): (path: string) => Promise<string> {
  return async (path) => {
    const ahead = path.split('/').reverse()
    let found = ''
    let followed = 0
    while (ahead.length > 0) {
      const name = ahead.pop() as string
      const target = links[`${found}/${name}`]
      if (name === '' || name === '.') continue
      if (name === '..') found = found.slice(0, Math.max(0, found.lastIndexOf('/')))
      else if (target === undefined) found += `/${name}`
      else {
        if (++followed > 40) throw new Error('ELOOP: too many symbolic links')
        if (target.startsWith('/')) found = ''
        ahead.push(...target.split('/').reverse())
      }
    }
    return found || '/'
  }
}
