/**
 * Records the calls that were refused: why a phone number got no code, although no message and no request tells of it.
 *
 * A refusal is only noted in memory, so its answer does not wait. A background task counts the noted refusals in the
 * totals and keeps some of them, with the next commit of their organization. A node that dies loses the refusals of
 * about two seconds. In a flood, every refusal is counted, and few of a kind are kept.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Caller, Parsed } from "../api/Caller.ts"
import { Actor } from "../domain/values/Actor.ts"
import * as AuditRecord from "../domain/access/AuditRecord.ts"
import { type Channel, channels } from "../domain/values/Channel.ts"
import type { Admission, Opening } from "./Admission.ts"
import { Codes } from "./Codes.ts"
import { Commits } from "./Commits.ts"
import * as Cursor from "../domain/values/Cursor.ts"
import type { EngineError } from "../domain/errors/EngineError.ts"
import { OrganizationNotFound } from "../domain/errors/Errors.ts"
import type * as Operation from "../api/Operation.ts"
import type { refusals } from "../api/refusals.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import { invalid, requestIdOf, FieldProblems } from "../api/internal/fieldProblems.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import { Countries } from "./internal/countries.ts"
import {
  countsOf,
  type Noted,
  RefusalBuffer,
  RefusalReports,
  type Waiting,
} from "./internal/refusalBuffer.ts"
import { tracedStep } from "./internal/traced.ts"
import * as Telemetry from "./Telemetry.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import { Records } from "../domain/organizations/RecordOptions.ts"
import * as Refusal from "../domain/verifications/Refusal.ts"
import { slotOf } from "../domain/money/Total.ts"
import { Store } from "../ports/Store.ts"

/** Pause before a write, which collects refusals. */
export const pause = Duration.seconds(2)

/** Longest wait for the last write when the engine closes. */
export const closingTime = Duration.seconds(2)

/** Maximum number of requests that a write looks up at the same time. */
const lookups = 8

/** Maximum number of organizations that are written at the same time. */
const writers = 32

export type ListRefusals = Operation.Inputs<typeof refusals>["list"]

/** The fields of a call that a refusal is recorded with. */
type Fields = Parsed<
  Caller & {
    readonly phoneNumber?: string | undefined
    readonly requestId?: string | undefined
    readonly channel?: Channel | undefined
  }
>

type Known = Pick<Admission, "channel" | "phoneNumber" | "requestId">

export class Refusals extends Context.Service<
  Refusals,
  {
    /** Makes calls of steps, in a span with this name, and notes those that are refused. */
    readonly observed: <I extends Fields, A, E extends EngineError>(
      name: string,
      operation: Refusal.Operation,
      step: Opening<I, A, E>,
    ) => (input: I) => Effect.Effect<A, E>
    /** Notes an error of a call, if it is a refusal. */
    readonly note: (
      operation: Refusal.Operation,
      input: Fields,
      admission: Known,
      error: EngineError,
    ) => Effect.Effect<void>
    /** Waits until a refusal is noted. */
    readonly noted: Effect.Effect<void>
    /** Writes what this node has noted of an organization. @defaultValue all organizations */
    readonly flush: (organization?: OrganizationId) => Effect.Effect<void>
    /** Includes the refusals that this node has noted. */
    readonly list: Operation.HostMethods<typeof refusals>["list"]
  }
>()("@countersign/core/engine/Refusals") {}

const make = Effect.gen(function* () {
  const codes = yield* Codes
  const commits = yield* Commits
  const store = yield* Store
  const records = yield* Records
  const buffer = new RefusalBuffer()
  const reports = new RefusalReports()
  const countries = new Countries()
  const isNoted = Latch.makeUnsafe()

  /** Without intermediate objects and effects, because a flood of refusals goes through here. */
  const noteUnsafe = (
    context: Context.Context<never>,
    operation: Refusal.Operation,
    input: Fields,
    admission: Known,
    error: EngineError,
  ): void => {
    const cause = Refusal.causeOf(operation, error)
    if (cause?.reason === "no_default_brand") Telemetry.countWithoutSender(context)
    if (cause === undefined || !records.refusals) return
    const at = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
    const phoneNumber = admission.phoneNumber ?? numberOf(input.phoneNumber)
    const country = countries.of(phoneNumber)
    const channel = admission.channel ?? channelOf(input.channel)
    buffer.add(input.organization, slotOf(at), operation, cause, channel, country, () => ({
      ...cause,
      operation,
      at,
      channel,
      country,
      parameters: Refusal.parametersOf(error),
      phoneNumber,
      requestId: admission.requestId ?? textOf(input.requestId),
      apiKeyId: input.apiKeyId ?? null,
      actor:
        input.apiKeyId === undefined ? AuditRecord.storable(Context.get(context, Actor).id) : null,
    }))
    if (records.refusalEvents) reports.add(input.organization, cause)
    isNoted.openUnsafe()
  }

  /** A check names its request, which tells the number. */
  const resolved = Effect.fnUntraced(function* (organization: OrganizationId, one: Noted) {
    if (one.requestId === undefined) return one
    const found = yield* Effect.orElseSucceed(
      store.verification(organization, requestIdOf(one.requestId)),
      () => undefined,
    )
    if (found === undefined) return { ...one, requestId: undefined }
    const { channel, phoneNumber } = found.verification
    return {
      ...one,
      phoneNumber,
      country: countries.of(phoneNumber),
      channel: one.channel ?? channel,
    }
  })

  const draftOf = Effect.fnUntraced(function* (organization: OrganizationId, given: Noted) {
    const { phoneNumber, requestId, ...one } = given
    const isKnown = phoneNumber !== undefined && !PhoneNumber.isErased(phoneNumber)
    const [digest] = isKnown ? yield* codes.phoneNumber(organization, phoneNumber) : []
    return {
      ...one,
      digest: digest ?? null,
      maskedNumber: isKnown ? PhoneNumber.mask(phoneNumber) : null,
      requestId: requestId === undefined ? null : requestIdOf(requestId),
    }
  })

  const write = Effect.fnUntraced(function* (
    organization: OrganizationId,
    waiting: Waiting,
    reported: ReadonlyArray<Refusal.CausedCount> | undefined,
  ) {
    const found = yield* Effect.forEach(waiting.kept, (one) => resolved(organization, one), {
      concurrency: lookups,
    })
    const kept = yield* Effect.forEach(found, (one) => draftOf(organization, one))
    const counts = countsOf(waiting, found)
    yield* commits.run(
      { _tag: "RecordRefusals", organization, counts, kept, reported },
      { isUrgent: false },
    )
  })

  const flushOf = Effect.fnUntraced(function* (organization: OrganizationId) {
    const now = yield* Clock.currentTimeMillis
    const reported = reports.take(organization, now)
    const waiting = buffer.take(organization)
    if (waiting === undefined && reported === undefined) return
    const written = waiting ?? { counts: new Map(), kept: [] }
    yield* write(organization, written, reported).pipe(
      Effect.catchTag("StoreUnavailable", ({ reason }) =>
        Effect.sync(() => {
          // A lost connection leaves open whether they were written. No refusal is counted twice.
          if (reason === "connection") return
          buffer.putBack(organization, written)
          if (reported !== undefined) reports.putBack(organization, reported)
          isNoted.openUnsafe()
        }),
      ),
      Effect.catchCause((cause) =>
        Effect.logError("Refused calls could not be recorded", { organization }, cause),
      ),
    )
  })

  const flush = (organization?: OrganizationId) =>
    Effect.suspend(() => {
      if (organization !== undefined) return flushOf(organization)
      const all = new Set([...buffer.organizations, ...reports.organizations])
      isNoted.closeUnsafe()
      return Effect.forEach(all, flushOf, { concurrency: writers, discard: true })
    })

  const list: Refusals["Service"]["list"] = Effect.fn("Refusals.list")(function* ({
    codes: wanted,
    cursor,
    from,
    limit,
    organization,
    phoneNumber,
    to,
  }) {
    const problems = new FieldProblems()
    const number =
      phoneNumber === undefined
        ? undefined
        : problems.parse("phoneNumber", phoneNumber, (text) =>
            PhoneNumber.parseE164(text, "optional"),
          )
    const before = cursor === undefined ? undefined : problems.parse("cursor", cursor, Cursor.parse)
    problems.period({ from, to })
    if (problems.error !== undefined) return yield* problems.error
    if (phoneNumber !== undefined && number === undefined) return yield* invalid
    yield* flushOf(organization)
    const digests = number && (yield* codes.phoneNumber(organization, number))
    const rows = pageLimit(limit)
    const search = { digests, codes: wanted, before, from, to, limit: rows }
    const refusals = yield* store.refusals(organization, search)
    if (refusals === undefined) return yield* new OrganizationNotFound()
    const last = refusals.length === rows ? refusals.at(-1) : undefined
    return { refusals, next: last && Cursor.make(last.sequence) }
  })

  return Refusals.of({
    observed: (name, operation, step) =>
      tracedStep(name, (call, done, input, admission) =>
        step(
          call,
          (exit) => {
            const found = Exit.findError(exit)
            if (Result.isSuccess(found)) {
              noteUnsafe(call.context, operation, input, admission, found.success)
            }
            done(exit)
          },
          input,
          admission,
        ),
      ),
    note: (operation, input, admission, error) =>
      Effect.withFiber(({ context }) => {
        noteUnsafe(context, operation, input, admission, error)
        return Effect.void
      }),
    noted: isNoted.await,
    flush,
    list,
  })
})

export const layer = Layer.effect(Refusals, make)

/** Writes the noted refusals for the lifetime of the layer, and once more when it closes. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { flush, noted } = yield* Refusals
    const { refusalEvents } = yield* Records
    yield* Effect.addFinalizer(() =>
      flush().pipe(Effect.interruptible, Effect.timeoutOption(closingTime), Effect.ignoreCause),
    )
    // An event may be due although no refusal was noted since the one before it.
    const due = refusalEvents ? Effect.timeoutOption(noted, RefusalReports.interval) : noted
    yield* due.pipe(
      Effect.andThen(Effect.sleep(pause)),
      Effect.andThen(flush()),
      Effect.ignoreCause,
      Effect.forever,
      Effect.forkScoped,
    )
  }),
)

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= 64 ? value : undefined

const channelOf = (value: unknown): Channel | null =>
  channels.find((channel) => channel === value) ?? null

/** The number as the caller has given it, also one that no country has. */
const numberOf = (value: unknown): PhoneNumber.PhoneNumber | undefined =>
  typeof value === "string"
    ? Result.getOrUndefined(PhoneNumber.parseE164(value, "optional"))
    : undefined
