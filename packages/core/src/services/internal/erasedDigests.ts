import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ErasedRecipient from "../../domain/ErasedRecipient.ts"
import type { Digests } from "../../domain/KnownClient.ts"
import type { Organization } from "../../domain/Organization.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import type { Codes } from "../Codes.ts"

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
