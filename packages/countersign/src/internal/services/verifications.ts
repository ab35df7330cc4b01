import { showing } from "@countersign/core/api/Operation"
import { verifications } from "@countersign/core/api/verifications"
import * as Fields from "@countersign/core/api/Fields"
import type * as Types from "@countersign/core/api/types/verifications"
import { History } from "@countersign/core/services/History"
import {
  type CheckedVerification,
  type ConsumedVerification,
  type SentVerification,
  Verifications,
} from "@countersign/core/services/verifications/Verifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Services from "../types/services.ts"
import { served, type Methods } from "./method.ts"
import { promisesOf } from "./promises.ts"
import * as Readers from "./readers.ts"

const { cancel, check, consume, get, history, list, resend, resetGuesses, send, verify } =
  verifications

export const make = (
  context: Context.Context<Verifications | History>,
): Methods<Services.OrganizationServices["verifications"]> => {
  const service = Context.get(context, Verifications)
  return {
    ...promisesOf(
      { cancel, get, history, list, resetGuesses },
      {
        ...service,
        cancel: (input) =>
          Effect.andThen(
            service.cancel(input),
            Effect.map(service.status(input), (found) => ({
              ...found,
              status: "failed" as const,
              reason: found.failure ?? "cancelled",
            })),
          ),
        get: service.status,
        history: Context.get(context, History).verification,
        list: service.search,
      },
    ),
    newRequestId: () => () => Effect.runSyncWith(context)(service.newRequestId),
    send: served(send, Readers.send, service.send, sent),
    resend: served(resend, Readers.resend, service.resend, sent),
    verify: served(verify, Readers.verify, service.verify, shown),
    consume: served(consume, Readers.consume, (input) => service.consume(ofPurpose(input)), shown),
    check: served(check, Readers.check, (input) => service.check(ofPurpose(input)), checked),
  }
}

/** Without a purpose, only requests without one are found. */
const ofPurpose = <A extends { readonly purpose?: unknown }>(input: A) => ({
  ...input,
  purpose: input.purpose ?? null,
})

const metadataOf = showing({ output: Fields.metadata })

// By hand: a schema takes 1 to 12 µs.

const sent = ({ expiresAt, resendAt, ...found }: SentVerification): Types.SentVerification => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  channel: found.channel,
  expiresAt: new Date(expiresAt),
  resendAt: resendAt === null ? null : new Date(resendAt),
  resendsRemaining: found.resendsRemaining,
})

const checked = (found: CheckedVerification): Types.CheckedVerification => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  verifiedAt: new Date(found.verifiedAt),
  isFirst: found.isFirst,
})

const shown = (found: ConsumedVerification): Types.VerifiedNumber => ({
  requestId: found.requestId,
  phoneNumber: found.phoneNumber,
  purpose: found.purpose,
  metadata: found.metadata === null ? null : metadataOf(found.metadata),
  verifiedAt: new Date(found.verifiedAt),
  consumedAt: new Date(found.consumedAt),
  proof: found.proof === undefined ? null : Redacted.value(found.proof),
})
