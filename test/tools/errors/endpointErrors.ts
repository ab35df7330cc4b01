/** The errors that the endpoints of the tenant interface answer with. */
import { account } from "@countersign/core/api/account"
import { messages } from "@countersign/core/api/messages"
import type { Operation } from "@countersign/core/api/Operation"
import { verifications } from "@countersign/core/api/verifications"
import type { Row } from "@countersign/core/domain/errors/ErrorRow"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import type { scopeOf } from "../../../packages/http/src/tenant/internal/scopes.ts"

/** The errors of every endpoint. The allow list guards all of them, unless `allowListScope` is `messages`. */
export const commonErrors = [
  "unauthorized",
  "insufficient_scope",
  "address_not_allowed",
  "internal",
  "unavailable",
] as const satisfies ReadonlyArray<AnyCode>

/** How much of its own a body has: the state of a request, or members besides the sentence. */
const weightOf = ({ isWaitInHeader, params, state }: Row): number => {
  if (state !== undefined) return 2
  return "details" in params || ("retryAfterSeconds" in params && isWaitInHeader !== true) ? 1 : 0
}

/** By status. Clients take the first error that matches, so that with the most members comes first. */
const byStatus = (a: Row, b: Row): number => a.status - b.status || weightOf(b) - weightOf(a)

/** The errors of an operation, except those that its endpoint cannot have. */
const errors = ({ errors = [] }: Operation, ...never: ReadonlyArray<AnyCode>) =>
  errors.filter((code) => !never.includes(code)).toSorted((a, b) => byStatus(rowOf(a), rowOf(b)))

/** The same of an endpoint that reads a body. */
const withBody = (...args: Parameters<typeof errors>): ReadonlyArray<AnyCode> => [
  ...errors(...args),
  "body_too_large",
  "unsupported_media_type",
]

/** The further errors of each endpoint. */
export const errorsOf: Readonly<Record<keyof typeof scopeOf, ReadonlyArray<AnyCode>>> = {
  send: withBody(messages.send),
  list: errors(messages.list),
  get: errors(messages.get),
  balance: errors(account.balance),
  verify: withBody(verifications.send),
  check: withBody(verifications.check),
  status: errors(verifications.get),
  resend: withBody(verifications.resend),
  // The path has the only field.
  cancel: errors(verifications.cancel, "invalid_request"),
  consume: withBody(verifications.consume),
}
