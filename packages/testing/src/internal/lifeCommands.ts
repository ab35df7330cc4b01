/**
 * Arbitrary commands on requests after their code was sent.
 */
import type { Command } from "@countersign/core/decide/Command"
import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import type { Limits } from "@countersign/core/domain/limits/Limits"
import type { Money } from "@countersign/core/domain/values/Money"
import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import * as fc from "fast-check"
import * as Samples from "../Samples.ts"

const requestId = fc.integer({ min: 1, max: 2 }).map(Samples.requestId)
const messageSequence = fc.integer({ min: 1, max: 4 })

/** `undefined` for any purpose. */
export const purpose = fc.constantFrom(undefined, undefined, "login", "payment")

/** Two clients, of which one was digested under an older secret. `undefined`: the host names none. */
export const client = fc.constantFrom<Digests | undefined>(undefined, ["a"], ["b"], ["c", "a"])

/** The purpose and the metadata of a new request. */
export const opened = fc.record({
  purpose: fc.constantFrom(null, null, "login"),
  metadata: fc.constantFrom(null, '{"session":"s1"}'),
})

interface Parts {
  readonly limits: fc.Arbitrary<Partial<Limits>>
  readonly rules: fc.Arbitrary<Rules | undefined>
  readonly charge: fc.Arbitrary<Money>
}

/** One arbitrary for each command. */
export const lifeCommands = ({
  charge,
  limits,
  rules,
}: Parts): ReadonlyArray<fc.Arbitrary<Command>> => {
  /** A short pause and few repeats, so that short histories reach both limits. */
  const resendLimits = fc
    .tuple(limits, fc.constantFrom(0, 1_000))
    .map(([limits, resendCooldownMillis]) => ({ ...limits, resends: 1, resendCooldownMillis }))
  return [
    fc.record({ requestId, messageSequence, rules }).map(Samples.endFollow),
    fc.record({ requestId, client, limits: resendLimits }).map(Samples.admitResend),
    fc
      .record({
        requestId,
        client,
        channel: fc.constantFrom("sms", "whatsapp"),
        charge,
        isCounted: fc.constantFrom(false, false, true),
        limits: resendLimits,
        rules,
      })
      .map(({ channel, charge, ...rest }): Command =>
        Samples.resendVerification({ ...rest, draft: { channel, charge } }),
      ),
    fc.record({ requestId }).map(Samples.cancelVerification),
    fc.record({ requestId, purpose }).map(Samples.consumeVerification),
    requestId.map((requestId) => Samples.consumeVerification({ requestId })),
    requestId.map((requestId) => Samples.consumeVerification({ requestId })),
  ]
}
