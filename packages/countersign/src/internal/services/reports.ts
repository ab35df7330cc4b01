import * as Input from "@countersign/core/api/Input"
import { reports } from "@countersign/core/api/reports"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import { Reports } from "@countersign/core/services/Reports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { GatewayRegistry } from "../gateways/gatewayRegistry.ts"
import type * as Services from "../types/services.ts"
import type { Methods } from "./method.ts"
import { promisesOf } from "./promises.ts"

export const make = (
  context: Context.Context<Reports | GatewayRegistry>,
): Methods<Services.Services["reports"]> => {
  const service = Context.get(context, Reports)
  const { nameOf } = Context.get(context, GatewayRegistry)
  return promisesOf(reports, {
    receive: Effect.fnUntraced(function* ({ detail = null, gateway, ...report }) {
      const { evidence, gatewayId, messageSequence, reason, status, token, unreachable } = report
      const gatewayOf = () =>
        Input.field("gateway", nameOf(gateway) ?? FieldProblem.make("unknown_gateway", {}))
      const organization = yield* Input.organizationOf(report)
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
    unmatched: service.unmatched,
  })
}
