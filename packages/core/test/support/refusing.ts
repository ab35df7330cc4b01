import * as Effect from "effect/Effect"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Refusal } from "../../src/domain/verifications/Refusal.ts"
import * as Refusals from "../../src/engine/Refusals.ts"

export const list = (organization: OrganizationId, query: Partial<Refusals.ListRefusals> = {}) =>
  Refusals.Refusals.use((_) => _.list({ organization, ...query }))

/** A refusal in words: `verify sms BD +8801*****678 rate_limited:rate`. */
const line = (one: Omit<Refusal, "digest" | "organization">): string =>
  [
    one.operation,
    one.channel ?? "-",
    one.country === "" ? "-" : one.country,
    one.maskedNumber ?? "-",
    one.reason === null ? one.code : `${one.code}:${one.reason}`,
  ].join(" ")

export const lines = (organization: OrganizationId, query: Partial<Refusals.ListRefusals> = {}) =>
  Effect.map(list(organization, query), ({ refusals }) => refusals.map(line))
