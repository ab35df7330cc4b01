import type { Rows } from "../../src/decide/Decision.ts"

/** The rows of an organization that does not exist. */
export const noRows: Rows = {
  account: undefined,
  recipient: () => undefined,
  verification: () => undefined,
  message: () => undefined,
  payment: () => undefined,
  idempotencyKey: () => undefined,
  prefixStats: () => undefined,
  client: () => undefined,
  webhook: () => undefined,
  queued: () => undefined,
  batch: () => undefined,
  alerts: () => undefined,
  erasedRecipient: () => undefined,
  optOut: () => undefined,
}
