/**
 * Receives delivery reports, which may arrive twice, out of order, or before their message is known. The
 * reports on a message are kept with it as evidence in disputes about its price.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { OwnResult } from "../decide/Command.ts"
import { Commits } from "./Commits.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { Gateway } from "../ports/Gateway.ts"
import { errorText, gatewayIdText } from "../domain/GatewayOutcome.ts"
import type { MessageRef } from "../domain/Ids.ts"
import { BusyOrganizations, isBusy } from "./internal/busyOrganizations.ts"
import * as DeliveryReport from "../domain/DeliveryReport.ts"
import * as Evidence from "../domain/Evidence.ts"
import type * as Report from "../domain/Report.ts"
import { type KeptReport, Store } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"

/** The result of receiving a report. An `unreadable` report is counted and not applied. */
export type Received = "applied" | "kept" | "unknown message" | "unreadable"

type Applied = Extract<OwnResult<"ApplyReport">, { readonly _tag: "Applied" }>

/** How to treat a report on a message of an organization that could not be written to a moment ago. */
export type WhenBusy = "wait" | "fail"

/** How long a report on an unknown message is kept, in milliseconds. */
export const keepMillis = 7 * 24 * 60 * 60 * 1_000

export class Reports extends Context.Service<
  Reports,
  {
    /**
     * Receives a report. A report on an unknown message is kept for `adopt`. A report with a field of the
     * wrong type is `unreadable`: it comes from an adapter that no compiler has checked. With `whenBusy:
     * "fail"`, fails immediately for a while after an organization could not be written to.
     * @defaultValue `whenBusy`: `"wait"`
     */
    readonly receive: (
      report: DeliveryReport.DeliveryReport,
      options?: { readonly whenBusy?: WhenBusy | undefined },
    ) => Effect.Effect<Received, StoreUnavailable>
    /**
     * Examines the next `limit` kept reports, applies those whose message has become known, and returns their
     * number. Skips reports of organizations that cannot be written to now. A report that two nodes adopt at
     * once is recorded on its message twice, with the same time.
     */
    readonly adopt: (limit: number) => Effect.Effect<number, StoreUnavailable>
    /**
     * Reports on a message, in the order in which they were recorded: the first 20, which are dropped with
     * the message. The message counts the rest. Empty if the message does not exist.
     */
    readonly forMessage: (
      message: MessageRef,
    ) => Effect.Effect<ReadonlyArray<Report.Report>, StoreUnavailable>
  }
>()("@countersign/core/services/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const commits = yield* Commits
      const gateway = yield* Gateway
      const store = yield* Store
      const busy = new BusyOrganizations()

      const markUnreachable = ({ channel, to }: Applied): Effect.Effect<void> =>
        gateway.markUnreachable?.(channel, to) ?? Effect.void

      const apply = (
        ref: DeliveryReport.ReportedMessage,
        report: Pick<DeliveryReport.DeliveryReport, "status" | "detail" | "unreachable">,
        source: Report.ReportSource,
      ) =>
        commits
          .run({
            _tag: "ApplyReport",
            organization: ref.organization,
            messageSequence: ref.sequence,
            token: ref.token,
            status: report.status,
            detail: report.detail,
            source,
          })
          .pipe(
            Effect.tap((outcome) =>
              outcome._tag === "Applied" && report.unreachable === true
                ? markUnreachable(outcome)
                : Effect.void,
            ),
            Effect.map((outcome): Received =>
              outcome._tag === "Applied" ? "applied" : "unknown message",
            ),
            Effect.catchTag("OrganizationNotFound", () =>
              Effect.succeed<Received>("unknown message"),
            ),
            // The command carries no version, so it cannot be stale.
            Effect.catchTag("StaleSettings", Effect.die),
          )

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
        const came = { evidence, receivedAt: undefined }
        const applied = (ref: DeliveryReport.ReportedMessage, source: Report.ReportSource) =>
          whenBusy === "wait"
            ? apply(ref, report, source)
            : busy.run(ref.organization, apply(ref, report, source))
        if (of._tag === "Message") {
          return yield* applied(of, { ...came, gateway: report.gateway, gatewayId: null })
        }
        const named = { gateway: of.gateway, gatewayId: gatewayIdText(of.gatewayId) }
        const known = yield* store.locate(named.gateway, named.gatewayId)
        if (known !== undefined) return yield* applied(known, { ...came, ...named })
        yield* store.keepReport({
          ...named,
          status,
          detail: detail === null ? null : errorText(detail),
          evidence,
        })
        return "kept"
      })

      const adoptOne = Effect.fnUntraced(function* (report: KeptReport, now: number) {
        const ref = yield* store.locate(report.gateway, report.gatewayId)
        if (ref !== undefined) yield* busy.run(ref.organization, apply(ref, report, report))
        if (ref !== undefined || now - report.receivedAt > keepMillis)
          yield* store.forgetReport(report)
        return ref !== undefined
      })

      /** The last kept report that this node has examined; `undefined` to start from the first. */
      let seen: KeptReport | undefined

      const adopt = Effect.fn("Reports.adopt")(function* (limit: number) {
        const { now, reports } = yield* store.keptReports(seen, limit)
        seen = reports.length < limit ? undefined : reports.at(-1)
        // Of two reports that contradict each other, the one received first wins.
        const inTurn = reports.toSorted((a, b) => a.receivedAt - b.receivedAt)
        const adopted = yield* Effect.forEach(inTurn, (report) =>
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

      const forMessage = Effect.fn("Reports.forMessage")((message: MessageRef) =>
        store.reports(message),
      )

      return Reports.of({ receive, adopt, forMessage })
    }),
  )
}
