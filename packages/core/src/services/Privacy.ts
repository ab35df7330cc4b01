/**
 * Exports and erases the data that is stored of a phone number.
 *
 * An erasure is a series of small steps, which may be repeated. One that was interrupted is complete after another
 * one. The organization carries the time of the last erasure. The change of its version makes every node send the
 * digest of a number along, under which the limits of an erased number stay.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Access } from "../engine/Access.ts"
import type { AccessError, Caller, Parsed } from "../api/Caller.ts"
import { Actor } from "../domain/values/Actor.ts"
import { Codes } from "../engine/Codes.ts"
import { Commits } from "../engine/Commits.ts"
import { type InvalidRequest, OrganizationNotFound } from "../domain/errors/Errors.ts"
import * as Erasure from "../decide/maintenance/Erasure.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { bounds } from "../domain/limits/Limits.ts"
import * as Message from "../domain/messages/Message.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import * as Recipient from "../domain/verifications/Recipient.ts"
import * as Refusal from "../domain/verifications/Refusal.ts"
import type { PersonalRows } from "../ports/Upkeep.ts"
import { Refusals } from "../engine/Refusals.ts"
import { Store } from "../ports/Store.ts"
import * as Answers from "../engine/StoredAnswer.ts"
import type { PersonalRecord, privacy } from "../api/privacy.ts"
import { FieldProblems, invalid } from "../api/internal/fieldProblems.ts"

export interface PersonalData extends Caller {
  /** In E.164 form; the plus is optional. Any number that may have been stored, also of a country not served now. */
  readonly phoneNumber: string
}

export type ErasedNumber = (typeof privacy.erase.output)["Type"]

/** Where the next page of an export begins. */
export interface ExportPlace extends Pick<PersonalRows, "next"> {
  readonly kind: Erasure.Kind
}

export interface ExportPage {
  readonly records: ReadonlyArray<PersonalRecord>
  /** `undefined` after the last page. A page without records may have a next one. */
  readonly next: ExportPlace | undefined
}

type PrivacyError = InvalidRequest | AccessError

/** Maximum number of rows that one step examines. */
export const stepRows = 500

export class Privacy extends Context.Service<
  Privacy,
  {
    /** `onStep` runs after each step, which has examined at most `stepRows` rows of a kind. */
    readonly erase: (
      input: Parsed<PersonalData>,
      onStep?: (kind: Erasure.Kind) => Effect.Effect<void>,
    ) => Effect.Effect<ErasedNumber, PrivacyError>
    /** One page of `export`. @defaultValue `place`: the first page */
    readonly exportPage: (
      input: Parsed<PersonalData>,
      place?: ExportPlace,
    ) => Effect.Effect<ExportPage, PrivacyError>
    /** Everything that is stored of a phone number, read a page at a time. */
    readonly export: (input: Parsed<PersonalData>) => Stream.Stream<PersonalRecord, PrivacyError>
  }
>()("@countersign/core/services/Privacy") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const refusals = yield* Refusals
  const store = yield* Store

  const parse = Effect.fnUntraced(function* (input: Parsed<PersonalData>) {
    const problems = new FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, (text) =>
      PhoneNumber.parseE164(text, "optional"),
    )
    const { id: organization } = yield* access.confirm(input)
    if (phoneNumber === undefined) return yield* problems.error ?? invalid
    yield* refusals.flush(organization)
    const digests = yield* codes.phoneNumber(organization, phoneNumber)
    return { organization, phoneNumber, digests }
  })

  const cancelPending = Effect.fnUntraced(function* (
    organization: OrganizationId,
    phoneNumber: PhoneNumber.PhoneNumber,
  ) {
    for (let cancelled = 0; cancelled < bounds.pendingPerNumber.max; cancelled++) {
      const found = yield* store.recipient(organization, phoneNumber)
      const [pending] = found === undefined ? [] : Recipient.pendingAt(found.recipient, found.now)
      if (pending === undefined) return
      const { requestId } = pending
      yield* access.serve({ organization }, ({ version }) =>
        commits.run({ _tag: "CancelVerification", organization, version, requestId }),
      )
    }
  })

  const erase: Privacy["Service"]["erase"] = Effect.fnUntraced(function* (
    input,
    onStep = () => Effect.void,
  ) {
    const subject = yield* parse(input)
    const { organization, phoneNumber } = subject
    // First: a command that is decided after it takes the limits of an erased number into account.
    yield* access.change(organization, (one, now) => ({ ...one, erasedAt: now }))
    yield* cancelPending(organization, phoneNumber)
    let counts = Erasure.noCounts
    let left = 0
    for (const kind of Erasure.kinds) {
      let after: string | undefined
      do {
        const step = yield* store.erase({ ...subject, kind, after, limit: stepRows, answer })
        if (step === undefined) return yield* new OrganizationNotFound()
        counts = Erasure.add(counts, step.counts)
        left += step.left
        after = step.next
        yield* onStep(kind)
      } while (after !== undefined)
    }
    const actor = yield* Actor
    yield* access.serve({ organization }, () =>
      commits.run({ _tag: "RecordErasure", organization, erased: counts, actor }),
    )
    return { ...counts, left }
  })

  const exportPage: Privacy["Service"]["exportPage"] = Effect.fnUntraced(function* (
    input,
    { kind, next: after } = firstPlace,
  ) {
    const subject = yield* parse(input)
    const found = yield* store.personalRows({ ...subject, kind, after, limit: stepRows })
    if (found === undefined) return yield* new OrganizationNotFound()
    const later = Erasure.kinds[Erasure.kinds.indexOf(kind) + 1]
    const nextKind = later && { kind: later, next: undefined }
    return {
      records: recordsOf(Erasure.ofNumber(found.rows, subject.phoneNumber)),
      next: found.next === undefined ? nextKind : { kind, next: found.next },
    }
  })

  return Privacy.of({
    erase: (input, onStep) => Effect.withSpan(erase(input, onStep), "Privacy.erase"),
    exportPage,
    export: (input) =>
      Stream.paginate(firstPlace, (place) =>
        Effect.map(exportPage(input, place), ({ next, records }) => [
          records,
          Option.fromUndefinedOr(next),
        ]),
      ),
  })
})

export const layer = Layer.effect(Privacy, make)

/** Where an export begins. */
export const firstPlace: ExportPlace = { kind: Erasure.kinds[0], next: undefined }

/** The answer to a repeat of a call whose message is erased, as of one that retention has dropped. */
const answer = Answers.encode(Answers.unknown)

const recordsOf = (rows: Erasure.Rows): ReadonlyArray<PersonalRecord> => {
  const reports = Map.groupBy(rows.reports, ({ messageSequence }) => messageSequence)
  const { recipient } = rows
  return [
    ...(recipient === undefined ? [] : [limitsOf(recipient, recipient.clients, false)]),
    ...rows.erasedRecipients.map((one) => limitsOf(one, [], true)),
    ...rows.messages.map((message) => ({
      type: "message" as const,
      ...Message.shown(message),
      reports: reports.get(message.sequence) ?? [],
    })),
    // Without the code and what protects it.
    ...rows.verifications.map(
      ({ digest: _digest, pepper: _pepper, sealed: _sealed, ...verification }) => ({
        type: "verification" as const,
        ...verification,
        messageSequences: [...verification.earlierMessages, verification.messageSequence],
      }),
    ),
    ...rows.events.map(({ event }) => ({ type: "event" as const, event })),
    ...rows.keys.map(({ key: { answer, expiresAt, messageSequence, requestId } }) => ({
      type: "answer" as const,
      answer,
      messageSequence,
      requestId,
      expiresAt,
    })),
    ...rows.queued.map(({ call, createdAt, end, endedAt, failure, id, orderKey, phoneNumber }) => ({
      type: "queued" as const,
      id,
      phoneNumber,
      call,
      orderKey,
      end,
      failure,
      createdAt,
      endedAt,
    })),
    ...rows.refusals.map(({ digest: _digest, ...refusal }) => ({
      type: "refusal" as const,
      ...Refusal.shown(refusal),
    })),
  ]
}

const limitsOf = (
  { guesses, sends }: Pick<Recipient.Recipient, "guesses" | "sends">,
  clients: Recipient.Recipient["clients"],
  isErased: boolean,
): PersonalRecord => ({
  type: "limits",
  isErased,
  requests: sends,
  wrongCodes: guesses.window,
  wrongCodesSinceSuccess: guesses.sinceSuccess,
  clients: clients.map(({ client, verifiedAt }) => ({ digest: client, verifiedAt })),
})
