/** Receives delivery reports, which may arrive twice, out of order, or before their message is known. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { CodeDelivery } from "../delivery/CodeDelivery.ts"
import { Commits } from "../engine/Commits.ts"
import * as Cursor from "../domain/values/Cursor.ts"
import type { InvalidRequest, StoreUnavailable } from "../domain/errors/Errors.ts"
import type * as Operation from "../api/Operation.ts"
import type { reports } from "../api/reports.ts"
import type * as Fields from "../domain/values/FieldReaders.ts"
import { Gateway } from "../ports/Gateway.ts"
import { gatewayIdText, vendorCodeText } from "../domain/messages/GatewayOutcome.ts"
import type { MessageRef } from "../domain/values/Ids.ts"
import { BusyOrganizations, isBusy } from "../engine/internal/busyOrganizations.ts"
import { invalid, FieldProblems } from "../api/internal/fieldProblems.ts"
import { makeMessageContent } from "../delivery/internal/codeTexts.ts"
import * as DeliveryReport from "../domain/messages/DeliveryReport.ts"
import * as Masking from "../domain/values/Masking.ts"
import * as Evidence from "../domain/messages/Evidence.ts"
import * as Redaction from "../domain/messages/Redaction.ts"
import type * as Report from "../domain/messages/MessageReport.ts"
import { type KeptReport, type ReportPlace, Store } from "../ports/Store.ts"
import * as Telemetry from "../engine/Telemetry.ts"
import * as Tracing from "../engine/Tracing.ts"

/** The result of receiving a report. An `unreadable` report is counted and not applied. */
export type ReceiveResult = "applied" | "kept" | "unknown message" | "unreadable"

type UnmatchedQuery = Fields.Parsed<Operation.Inputs<typeof reports>["unmatched"]>

type UnmatchedPage = (typeof reports.unmatched.output)["Type"]

/** How long a report on an unknown message is kept, in milliseconds. */
export const keepMillis = 7 * 24 * 60 * 60 * 1_000

/** Maximum number of kept reports that can be read. */
export const maxUnmatched = 10_000

export class Reports extends Context.Service<
  Reports,
  {
    /**
     * Receives a report, and keeps a report on an unknown message for `adopt`. With `whenBusy: "fail"`, fails
     * immediately for a while after an organization could not be written to.
     * @defaultValue `whenBusy`: `"wait"`
     */
    readonly receive: (
      report: DeliveryReport.DeliveryReport,
      options?: { readonly whenBusy?: "wait" | "fail" | undefined },
    ) => Effect.Effect<ReceiveResult, StoreUnavailable>
    /**
     * Examines the next `limit` kept reports, applies each report whose message has become known, and returns the
     * number of applied reports. Skips organizations that cannot be written to now. Two nodes may record the same
     * report twice, with the same time.
     */
    readonly adopt: (limit: number) => Effect.Effect<number, StoreUnavailable>
    /** The first 20 reports on a message, in the order in which they were recorded. */
    readonly forMessage: (
      message: MessageRef,
    ) => Effect.Effect<ReadonlyArray<Report.Report>, StoreUnavailable>
    /**
     * A page of the kept reports, which name no known message, in the store's order. A report that is kept or
     * adopted meanwhile may move others to the page before or after. Pages end after 10,000 reports.
     */
    readonly unmatched: (
      query?: UnmatchedQuery,
    ) => Effect.Effect<UnmatchedPage, InvalidRequest | StoreUnavailable>
  }
>()("@countersign/core/services/Reports") {}

const make = Effect.gen(function* () {
  const codes = yield* CodeDelivery
  const commits = yield* Commits
  const gateway = yield* Gateway
  const store = yield* Store
  const contentOf = yield* makeMessageContent
  const busy = new BusyOrganizations()
  // A code that is not sent again because the engine closes is sent by the settlement of another node.
  const scope = yield* Effect.scope

  /** Texts without the content of their message. Most texts have no digits and cost no read. */
  const redacted = Effect.fnUntraced(function* (ref: MessageRef, said: Texts) {
    const { detail, evidence } = said
    if (![detail ?? "", ...Evidence.wordsIn(evidence)].some(Redaction.hasDigits)) return said
    const message = (yield* store.message(ref))?.message
    if (message === undefined) return unknownTexts(said)
    const content = yield* contentOf(message)
    return {
      detail: detail === null ? null : Redaction.words(detail, content),
      evidence: Redaction.evidence(evidence, content),
    }
  })

  const apply = Effect.fnUntraced(function* (
    ref: DeliveryReport.ReportedMessage,
    report: Pick<
      DeliveryReport.DeliveryReport,
      "status" | "detail" | "reason" | "unreachable" | "vendorCode"
    >,
    source: Report.ReportSource,
  ) {
    const arrivedAt = yield* Clock.currentTimeNanos
    const { detail, evidence } = yield* redacted(ref, { ...report, evidence: source.evidence })
    return yield* commits
      .run({
        _tag: "ApplyReport",
        organization: ref.organization,
        messageSequence: ref.sequence,
        token: ref.token,
        status: report.status,
        detail,
        reason: report.reason,
        vendorCode:
          report.vendorCode === undefined
            ? undefined
            : vendorCodeText(Masking.words(report.vendorCode)),
        source: { ...source, evidence },
      })
      .pipe(
        Effect.flatMap((result): Effect.Effect<ReceiveResult> => {
          if (result._tag === "NotFound") return Effect.succeed("unknown message")
          const by = source.gateway ?? gateway.name
          const applied = continueTrace(ref, report, by, result.traceparent, arrivedAt)
          const { channel, followDue, phoneNumber } = result
          const followed =
            followDue === null
              ? Effect.void
              : Effect.forkIn(codes.follow(ref, followDue), scope, { startImmediately: true })
          const marked =
            report.unreachable === true
              ? gateway.markUnreachable?.(channel, phoneNumber)
              : undefined
          const next = Effect.andThen(followed, marked ?? Effect.void)
          return Effect.as(Effect.andThen(applied, next), "applied")
        }),
        Effect.catchTag("OrganizationNotFound", () =>
          Effect.succeed<ReceiveResult>("unknown message"),
        ),
        // The command carries no version, so it cannot be stale.
        Effect.catchTag("StaleSettings", Effect.die),
      )
  })

  const receive: Reports["Service"]["receive"] = Effect.fn("Reports.receive")(function* (
    given,
    { whenBusy = "wait" } = {},
  ) {
    const read = DeliveryReport.read(given)
    if (Result.isFailure(read)) {
      const source = { gateway: DeliveryReport.gatewayIn(given) ?? gateway.name }
      yield* Telemetry.noteUnreadable("report", source, read.failure)
      return "unreadable"
    }
    const report = read.success
    const { detail, of, status } = report
    const evidence = Evidence.text(report.evidence)
    const applyTo = (
      ref: DeliveryReport.ReportedMessage,
      source: Pick<Report.ReportSource, "gateway" | "gatewayId">,
    ) => {
      const applied = apply(ref, report, { ...source, evidence, receivedAt: undefined })
      return whenBusy === "wait" ? applied : busy.run(ref.organization, applied)
    }
    if (of._tag === "Message") {
      return yield* applyTo(of, { gateway: report.gateway, gatewayId: null })
    }
    const id = { gateway: of.gateway, gatewayId: gatewayIdText(of.gatewayId) }
    const known = yield* store.locate(id.gateway, id.gatewayId)
    if (known !== undefined) return yield* applyTo(known, id)
    yield* store.keepReport({ ...id, status, ...unknownTexts({ detail, evidence }) })
    return "kept"
  })

  const adoptOne = Effect.fnUntraced(function* (report: KeptReport, now: number) {
    const ref = yield* store.locate(report.gateway, report.gatewayId)
    if (ref !== undefined) yield* busy.run(ref.organization, apply(ref, report, report))
    if (ref !== undefined || now - report.receivedAt > keepMillis) yield* store.forgetReport(report)
    return ref !== undefined
  })

  /** The last kept report that this node has examined; `undefined` to start from the first. */
  let last: ReportPlace | undefined

  const adopt = Effect.fn("Reports.adopt")(function* (limit: number) {
    const { now, reports, last: reached } = yield* store.keptReports(last, limit)
    last = reports.length < limit ? undefined : reached
    // Of two reports that contradict each other, the one received first wins.
    const ordered = reports.toSorted((a, b) => a.receivedAt - b.receivedAt)
    const adopted = yield* Effect.forEach(ordered, (report) =>
      adoptOne(report, now).pipe(
        // The next pass examines the report again.
        Effect.catchIf(isBusy, () => Effect.succeed(false)),
        Effect.catchDefect(() =>
          Effect.as(Effect.logError("A kept report could not be applied"), false),
        ),
      ),
    )
    return adopted.filter((found) => found).length
  })

  const unmatched = Effect.fn("Reports.unmatched")(function* (query: UnmatchedQuery = {}) {
    const problems = new FieldProblems()
    const limit = problems.value("limit", query.limit) ?? 100
    problems.integer("limit", limit, { min: 1, max: 1_000 })
    const cursor = problems.value("cursor", query.cursor)
    const start = cursor === undefined ? 0 : problems.parse("cursor", cursor, Cursor.parse)
    if (start === undefined || problems.error !== undefined) {
      return yield* problems.error ?? invalid
    }
    const end = Math.min(start + limit, maxUnmatched)
    // One more than the page, which tells whether there is another.
    const found: Array<KeptReport> = []
    let place: ReportPlace | undefined
    do {
      const page = yield* store.keptReports(place, Math.min(1_000, end + 1 - found.length))
      found.push(...page.reports)
      place = page.last
    } while (place !== undefined && found.length <= end)
    return {
      reports: found.slice(start, end).map(masked),
      next: end < Math.min(found.length, maxUnmatched) ? Cursor.make(end) : undefined,
    }
  })

  return Reports.of({
    receive,
    adopt,
    unmatched,
    forMessage: Effect.fn("Reports.forMessage")((message) => store.reports(message)),
  })
})

export const layer = Layer.effect(Reports, make)

/** Adds the report to the trace of its message, which only the message tells. */
const continueTrace = (
  { organization }: MessageRef,
  { status }: Pick<DeliveryReport.DeliveryReport, "status">,
  gateway: string,
  traceparent: string | null,
  startTime: bigint,
): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    const parent = Tracing.spanOf(traceparent)
    if (parent === undefined) return Effect.void
    const request = Tracing.current(context)
    const links = request === undefined ? [] : [request]
    const span = Tracing.begin(context, "report", `report ${gateway}`, { parent, links, startTime })
    if (span === undefined) return Effect.void
    Tracing.annotate(span, "report", {
      "messaging.system": "countersign",
      "messaging.operation.name": "report",
      "messaging.operation.type": "process",
      "messaging.destination.name": gateway,
      "countersign.organization": organization,
      "countersign.status": status,
    })
    Tracing.end(context, span, Exit.void)
    return Effect.void
  })

type Texts = Pick<Report.Report, "detail" | "evidence">

const unknownTexts = ({ detail, evidence }: Texts): Texts => ({
  detail: detail === null ? null : Redaction.unknownWords(detail),
  evidence: Redaction.unknownEvidence(evidence),
})

const masked = ({ evidence: _, ...report }: KeptReport): UnmatchedPage["reports"][number] => ({
  ...report,
  gatewayId: Masking.words(report.gatewayId.replace(encoded, withoutNumber)),
})

/** Parts of an id that may be in base64. The ids of WhatsApp contain the number so. */
const encoded = /[A-Za-z0-9+/]{12,}={0,2}/g

const withoutNumber = (part: string): string => {
  const bytes = Result.getOrElse(Base64.decode(part), () => new Uint8Array())
  return /\d{7}/.test(String.fromCharCode(...bytes)) ? `${part.slice(0, 4)}*****` : part
}

/** Maximum number of reports that are processed at once; further ones wait. */
const maxActive = 10_000

/** Maximum time that other reports wait for the first attempt of one report. */
const firstAttempt = Duration.millis(100)

/** Retries without end, at most five seconds apart. */
const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

/**
 * Returns how to process a report of the running gateway. A vendor does not repeat an accepted report, so it is retried
 * until the store has it. Retries run in the background after the first attempt, or after `firstAttempt` if that
 * attempt takes longer. So an organization that cannot be written to delays no other.
 */
const makeIntake = Effect.gen(function* () {
  const reports = yield* Reports
  const scope = yield* Effect.scope
  let active = 0

  return Effect.fnUntraced(function* (report: DeliveryReport.DeliveryReport) {
    const attempted = Latch.makeUnsafe()
    active += 1
    const fiber = yield* reports.receive(report, { whenBusy: "fail" }).pipe(
      Effect.ensuring(attempted.open),
      Effect.retry(retries),
      Effect.catchCause(() =>
        Effect.logError("A delivery report was lost; the settlement deadline will decide"),
      ),
      Effect.ensuring(Effect.sync(() => (active -= 1))),
      Effect.forkIn(scope, { startImmediately: true }),
    )
    if (active >= maxActive) yield* Fiber.await(fiber)
    else yield* Effect.timeoutOption(attempted.await, firstAttempt)
  })
})

/** Receives the gateway's reports for the lifetime of the layer. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { reports } = yield* Gateway
    const takeIn = yield* makeIntake
    yield* reports.pipe(
      Stream.mapEffect(takeIn, { concurrency: 16 }),
      Stream.runDrain,
      // A stream that fails once must not lose every later report.
      Effect.catchCause(() =>
        Effect.andThen(
          Effect.logError("The gateway's reports broke off; listening again"),
          Effect.fail("broken off"),
        ),
      ),
      Effect.retry(Schedule.spaced("1 second")),
      Effect.forkScoped,
    )
  }),
)
