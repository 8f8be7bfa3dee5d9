import { matchesWildcard, readWildcard } from '../permissions/wildcard.ts'
import type { PermissionRules } from '../protocol/permissions.ts'
import type { McpServer } from './options.ts'

/** What a server's tool is called here, as in rules: `mcp__server__tool`. */
export function toolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`
}

/** Which of a server's tools are wanted. */
export function toolFilter({ include, exclude = [] }: McpServer): (tool: string) => boolean {
  const wanted = include?.map(readWildcard)
  const unwanted = exclude.map(readWildcard)
  return (tool) =>
    (wanted?.some((name) => matchesWildcard(name, tool)) ?? true) &&
    !unwanted.some((name) => matchesWildcard(name, tool))
}

/** The rules of all servers, by whole names. */
export function allRules(servers: Readonly<Record<string, McpServer>>): Required<PermissionRules> {
  const rules = (verdict: keyof PermissionRules): string[] =>
    Object.entries(servers).flatMap(([server, { permissionRules }]) =>
      (permissionRules?.[verdict] ?? []).map((rule) => toolName(server, rule)),
    )
  return { allow: rules('allow'), ask: rules('ask'), deny: rules('deny') }
}
