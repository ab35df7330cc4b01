import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import { Reports } from "@countersign/core/services/Reports"
import * as Codec from "./results.ts"
import * as Input from "./inputReaders.ts"
import type { UnmatchedReport } from "@countersign/core/api/types/reports"
import type { Page, PageInput } from "@countersign/core/api/Page"
import * as Context from "effect/Context"
import { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import type * as Services from "../types/services.ts"
import { hostMethod, later } from "./method.ts"
import { pages } from "./pages.ts"
import type { Methods } from "./scope.ts"

const report = {
  organization: Input.optionalText,
  messageSequence: Fields.optional(Input.positiveInteger),
  token: Input.optionalText,
  gateway: later<string | undefined>(),
  gatewayId: Fields.optional(Input.id),
  status: Input.reportStatus,
  reason: Input.rejectionReason,
  detail: (value: unknown) => Input.optionalText(value ?? undefined),
  evidence: Input.evidence,
  unreachable: Input.optionalBoolean,
}

const page = { cursor: Input.optionalText, limit: Input.optionalInteger }

export const make = (
  context: Context.Context<Reports | GatewayRegistry>,
): Methods<Services.Reports> => {
  const service = Context.get(context, Reports)
  const { nameOf } = Context.get(context, GatewayRegistry)

  return {
    receive: hostMethod(report, function* (input) {
      const { detail = null, evidence, gateway, reason, status, unreachable } = input
      const gatewayOf = () =>
        Input.field("gateway", nameOf(gateway) ?? FieldProblem.make("unknown_gateway", {}))
      const { gatewayId, messageSequence, token } = input
      const organization = yield* Input.organizationOf(input)
      const received = yield* service.receive({
        of:
          messageSequence === undefined
            ? {
                _tag: "GatewayId",
                gateway: yield* gatewayOf(),
                gatewayId: yield* Input.field("gatewayId", Fields.text(gatewayId)),
              }
            : { _tag: "Message", organization, sequence: messageSequence, token },
        status,
        reason,
        gateway: gateway === undefined ? undefined : yield* gatewayOf(),
        detail,
        evidence,
        unreachable,
      })
      return received === "unreadable"
        ? yield* Input.invalid("report", FieldProblem.make("unreadable", {}))
        : received
    }),
    unmatched: pages(
      hostMethod<PageInput | undefined, typeof page, Page<UnmatchedReport>>(
        page,
        function* (input) {
          const { next, reports } = Codec.unmatchedReports(yield* service.unmatched(input))
          return { items: reports, next }
        },
      ),
    ),
  }
}
