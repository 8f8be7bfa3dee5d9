/** Of bytes of any size: a spread of all of them would be too many arguments. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(binary)
}

const CHUNK = 0x8000

export function toDataUrl(bytes: Uint8Array, mediaType: string): string {
  return `data:${mediaType};base64,${toBase64(bytes)}`
}

/** Throws a `DOMException` for what is no base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Undefined for any other address. */
export function fromDataUrl(url: string): { readonly mediaType: string; readonly bytes: Uint8Array } | undefined {
  const [, type = '', base64, data = ''] = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(url) ?? []
  if (!url.startsWith('data:')) return undefined
  const mediaType = type === '' ? 'text/plain' : type
  const bytes = base64 === undefined ? new TextEncoder().encode(decodeURIComponent(data)) : fromBase64(data)
  return { mediaType, bytes }
}
