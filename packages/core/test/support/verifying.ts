import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Parsed } from "../../src/api/Caller.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import {
  type ConsumeVerification,
  type ResendVerification,
  type SendVerification,
  Verifications,
  type VerifyCode,
} from "../../src/services/verifications/Verifications.ts"

export const phoneNumber = PhoneNumber.fromE164("+8801712345678")

export const send = (organization: OrganizationId, input: Partial<Parsed<SendVerification>> = {}) =>
  Verifications.use((_) => _.send({ organization, phoneNumber, ...input }))

export const check = (organization: OrganizationId, requestId: string, code: string) =>
  Verifications.use((_) => _.check({ organization, requestId, code: Redacted.make(code) }))

/** How many of 16 calls at once succeed, and how many fail with each error. */
export const atOnce = <E extends { readonly _tag: string }, R>(
  call: Effect.Effect<unknown, E, R>,
) =>
  Effect.map(
    Effect.replicateEffect(Effect.result(call), 16, { concurrency: "unbounded" }),
    (all) => {
      const ends = all.map((one) => (one._tag === "Success" ? "done" : one.failure._tag))
      return Object.fromEntries(
        Map.groupBy(ends, String)
          .entries()
          .map(([end, { length }]) => [end, length]),
      )
    },
  )

/** The code with its last digit changed. */
export const wrong = (code: string): string =>
  code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10))

export const resend = (
  organization: OrganizationId,
  requestId: string,
  input: Partial<Parsed<ResendVerification>> = {},
) => Verifications.use((_) => _.resend({ organization, requestId, ...input }))

export const cancel = (organization: OrganizationId, requestId: string) =>
  Verifications.use((_) => _.cancel({ organization, requestId }))

export const consume = (
  organization: OrganizationId,
  requestId: string,
  input: Partial<Parsed<ConsumeVerification>> = {},
) => Verifications.use((_) => _.consume({ organization, requestId, ...input }))

export const verify = (
  organization: OrganizationId,
  requestId: string,
  code: string,
  input: Partial<Parsed<VerifyCode>> = {},
) =>
  Verifications.use((_) =>
    _.verify({ organization, requestId, code: Redacted.make(code), ...input }),
  )

export const statusOf = (organization: OrganizationId, requestId: string) =>
  Verifications.use((_) => _.status({ organization, requestId }))
