import type { ApiKeyScope } from "@countersign/core/domain/access/ApiKeyScope"

/** The scope that a key with scopes needs for each endpoint. */
export const scopeOf = {
  send: "messages:send",
  list: "messages:read",
  get: "messages:read",
  balance: "balance:read",
  verify: "verify:send",
  resend: "verify:send",
  cancel: "verify:send",
  check: "verify:check",
  consume: "verify:check",
  status: "verify:read",
} as const satisfies Readonly<Record<string, ApiKeyScope>>
