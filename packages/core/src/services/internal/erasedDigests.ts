import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ErasedRecipient from "../../domain/verifications/ErasedRecipient.ts"
import type { Digests } from "../../domain/verifications/KnownClient.ts"
import type { Organization } from "../../domain/organizations/Organization.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import type { Codes } from "../../engine/Codes.ts"

/** The digests of a number, if an erasure may have left limits under one of them. */
export const erasedDigests = (
  codes: Codes["Service"],
  { erasedAt, id }: Organization,
  phoneNumber: PhoneNumber,
): Effect.Effect<Digests | undefined> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    ErasedRecipient.isPossible(erasedAt, now)
      ? codes.phoneNumber(id, phoneNumber)
      : Effect.undefined,
  )
