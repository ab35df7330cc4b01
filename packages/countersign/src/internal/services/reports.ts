import type { DeliveryReport as CoreReport } from "@countersign/core/domain/DeliveryReport"
import type { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as Fields from "@countersign/core/domain/Fields"
import { Reports } from "@countersign/core/services/Reports"
import * as Codec from "@countersign/core/codec/Codec"
import type * as Types from "@countersign/core/codec/Data"
import * as HostCodec from "@countersign/core/codec/HostCodec"
import * as Input from "@countersign/core/codec/InputReaders"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Method } from "../errors/translate.ts"
import { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import type * as Services from "../types/services.ts"

export const make = (
  method: Method,
  context: Context.Context<Reports | GatewayRegistry>,
): Services.Reports => {
  const service = Context.get(context, Reports)
  const { nameOf } = Context.get(context, GatewayRegistry)
  const gatewayOf = ({ gateway }: Types.ReportedMessage) =>
    Input.field("gateway", nameOf(gateway) ?? FieldProblem.make("unknown_gateway", {}))

  const reported = Effect.fnUntraced(function* (
    report: Types.ReportedMessage,
  ): Effect.fn.Return<CoreReport["of"], InvalidRequest | OrganizationNotFound> {
    if ("messageSequence" in report) {
      return {
        _tag: "Message",
        organization: yield* Input.organizationOf(report),
        sequence: yield* Input.field(
          "messageSequence",
          Input.positiveInteger(report.messageSequence),
        ),
        token: yield* Input.field("token", Input.optionalText(report.token)),
      }
    }
    const gateway = yield* gatewayOf(report)
    return {
      _tag: "GatewayId",
      gateway,
      gatewayId: yield* Input.field("gatewayId", Input.id(report.gatewayId)),
    }
  })

  return {
    receive: method(function* (report) {
      const received = yield* service.receive({
        of: yield* reported(report),
        status: yield* Input.field("status", Input.reportStatus(report.status)),
        reason: yield* Input.field("reason", Input.rejectionReason(report.reason)),
        gateway: report.gateway === undefined ? undefined : yield* gatewayOf(report),
        detail:
          (yield* Input.field("detail", Input.optionalText(report.detail ?? undefined))) ?? null,
        evidence: yield* Input.field("evidence", Input.evidence(report.evidence)),
        unreachable: yield* Input.field("unreachable", Input.optionalBoolean(report.unreachable)),
      })
      return received === "unreadable"
        ? yield* Input.invalid("report", FieldProblem.make("unreadable", {}))
        : received
    }),
    forMessage: method(function* (message) {
      const sequence = yield* Input.field("sequence", Fields.integer(message.sequence))
      const organization = yield* Input.organizationOf(message)
      const found = yield* service.forMessage({ organization, sequence })
      return found.map(Codec.messageReport)
    }),
    unmatched: method(function* (input = {}) {
      const page = {
        cursor: Input.optionalText(input.cursor),
        limit: Input.optionalInteger(input.limit),
      }
      return HostCodec.unmatchedReports(yield* service.unmatched(page))
    }),
  }
}
