/**
 * A verification request as operations show it: after its code was sent, in each of its states, and after it was used
 * up. Another record has its history.
 */
import * as Schema from "effect/Schema"
import * as Structs from "effect/Struct"
import * as Ids from "../domain/values/Ids.ts"
import {
  verificationFailures,
  verificationStates,
} from "../domain/verifications/VerificationState.ts"
import * as Fields from "./Fields.ts"
import { logEntry, status, timeline } from "./messages.ts"

const { Array, Int, Literals, NullOr, Struct } = Schema
const { field, record, textOrNull, time, timeOrNull } = Fields

export const requestId = Fields.id(Ids.RequestId)

const purpose = field(textOrNull, "The purpose that the code was sent for; `null` if it had none.")

const failure = Literals(verificationFailures).annotate({ named: "VerificationFailure" })

const metadata = field(
  NullOr(Fields.metadata),
  "Your own object from `send`; `null` if it had none.",
)

export const sent = record("SentVerification", "A code that was sent.", {
  requestId: field(requestId, "Pass it to `verify` with the code."),
  phoneNumber: field(Fields.phoneNumber, "E.164 with its plus."),
  channel: field(Fields.channel, "The channel that carries the code."),
  expiresAt: field(time, "When the code expires."),
  resendAt: field(
    timeOrNull,
    "The earliest time at which the code can be sent again; `null` if it cannot.",
  ),
  resendsRemaining: field(Int, "How often the code can still be sent again."),
})

export const found = record(
  "FoundVerification",
  "A verification request. It never contains the code.",
  {
    ...sent.fields,
    attemptsRemaining: field(Int, "How many codes can still be entered."),
    createdAt: field(time, "When the code was requested."),
    purpose,
    metadata,
    status: Literals(verificationStates).annotate({ named: "VerificationState" }),
    failure: field(NullOr(failure), "Why it has failed; `null` in other states."),
    verifiedAt: timeOrNull,
    consumedAt: timeOrNull,
  },
)

const members = Structs.omit(found.fields, ["status", "failure", "verifiedAt", "consumedAt"])

const open = record(
  "OpenVerification",
  "A request whose code was not sent yet, was not accepted yet, or not in time.",
  { ...members, status: Literals(["queued", "pending", "expired"]) },
)

const verified = record("VerifiedVerification", "A request whose code was accepted.", {
  ...members,
  status: Schema.Literal("verified"),
  verifiedAt: field(time, "When the right code was entered."),
  consumedAt: field(timeOrNull, "When the request was used up; `null` if it was not."),
})

export const failed = record("FailedVerification", "A request that has ended without success.", {
  ...members,
  status: Schema.Literal("failed"),
  reason: field(failure, "Why it has failed."),
})

/** The state of a request decides which members it has. */
const stateOf = ({ consumedAt, failure, status, verifiedAt, ...members }: FoundVerification) => {
  switch (status) {
    case "verified":
      return { ...members, status, verifiedAt: verifiedAt ?? members.createdAt, consumedAt }
    case "failed":
      return { ...members, status, reason: failure ?? "cancelled" }
    default:
      return { ...members, status }
  }
}

export const verification = Fields.view(
  Schema.Union([open, verified, failed]).annotate({
    named: "Verification",
    documentation: "A verification request.",
  }),
  stateOf,
)

export const history = {
  messages: field(Array(logEntry), "The messages with the code that are in the log, oldest first."),
  timeline,
}

const delivery = {
  delivery: field(
    NullOr(status),
    "The status of its newest message; `null` if none was sent, or the message is no longer in the log.",
  ),
}

/** A request in a list. */
export interface ListedVerification extends FoundVerification {
  readonly delivery: (typeof status)["Type"] | null
}

const listed = Fields.view(
  Schema.Union([
    Struct({ ...open.fields, ...delivery }),
    Struct({ ...verified.fields, ...delivery }),
    Struct({ ...failed.fields, ...delivery }),
  ]).annotate({ named: "ListedVerification" }),
  ({ delivery, ...request }: ListedVerification) => ({ ...stateOf(request), delivery }),
)

const page = <S extends Schema.Top>(item: S) =>
  record("FoundVerifications", "A page of verification requests, newest first.", {
    verifications: Array(item),
    next: Fields.next,
  })

export const listedVerifications = page(listed)

/** The same, with the same members in every state. */
export const foundVerifications = page(Struct({ ...found.fields, ...delivery }))

/** The history of a request, with the same members in every state. */
export const verificationHistory = record(
  "VerificationHistory",
  "A request with its messages and its timeline.",
  { verification: found, ...history },
)

export const verifiedNumber = record("VerifiedNumber", "A verified request that was used up.", {
  requestId: field(requestId, "The id of the request."),
  phoneNumber: field(
    Fields.phoneNumber,
    "The number to sign in, E.164 with its plus. Trust no other.",
  ),
  purpose,
  metadata,
  verifiedAt: field(time, "When the right code was entered."),
  consumedAt: field(time, "When the request was used up."),
  proof: field(
    Fields.orNull(Fields.secret),
    "A signed token for another service, valid for minutes; `null` without the option `proofs`.",
  ),
})

/** A request, without its messages. */
export type FoundVerification = typeof found.Type

export type FoundVerifications = typeof listedVerifications.Type
