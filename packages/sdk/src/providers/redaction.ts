/** Takes the keys of a request out of a text: some gateways echo the one they refuse. */
export type Redact = (text: string) => string

export function redaction(headers: Readonly<Record<string, string>>): Redact {
  const secrets = Object.entries(headers)
    .filter(([name]) => /auth|key|token|secret|cookie/i.test(name))
    .map(([, value]) => value.replace(/^\w+ (?=\S)/, ''))
    .filter((value) => value.length >= 6)
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}
