import { useEffect, useState } from 'react'

/** An address for bytes of this page, for as long as they are shown. */
export function useObjectUrl(bytes: Uint8Array | Blob | undefined, mediaType: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (bytes === undefined) return
    const made = URL.createObjectURL(
      bytes instanceof Blob ? bytes : new Blob([new Uint8Array(bytes)], { type: mediaType }),
    )
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(undefined)
    }
  }, [bytes, mediaType])
  return url
}
