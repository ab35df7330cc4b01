/** Reads the requests of vendors with the `callback` of a gateway that is written with promises. */
import { defaultOrganization } from "@countersign/core/api/Fields"
import type { DeliveryReport } from "@countersign/core/api/PlainTypes"
import type * as Core from "@countersign/core/domain/messages/DeliveryReport"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Callback, CallbackOutcome } from "@countersign/gateways/Adapter"
import * as Effect from "effect/Effect"
import type { Gateway, VendorReports } from "../types/gateways.ts"

const reportOf = (report: DeliveryReport, name: string): Core.DeliveryReport => {
  const { detail = null, evidence, gateway = name, reason, status, unreachable } = report
  return {
    of:
      "messageSequence" in report
        ? {
            _tag: "Message",
            organization: OrganizationId(report.organization ?? defaultOrganization),
            sequence: report.messageSequence,
            token: report.token,
          }
        : { _tag: "GatewayId", gateway, gatewayId: report.gatewayId },
    status,
    detail,
    reason,
    unreachable,
    gateway,
    evidence,
  }
}

const malformed = (reason: string): CallbackOutcome => ({ _tag: "Malformed", reason })

const outcomeOf = (read: VendorReports, name: string): CallbackOutcome => {
  if ("refused" in read) return { _tag: "Refused", reason: read.refused }
  if ("malformed" in read) return malformed(read.malformed)
  const { once, reports } = read
  return { _tag: "Reports", reports: reports.map((report) => reportOf(report, name)), once }
}

/** The reader of a gateway's reports. A gateway that throws accepts nothing, and the log names the error only. */
export const callbackOf = ({ callback, name }: Gateway): Callback | undefined =>
  callback === undefined
    ? undefined
    : (request) =>
        Effect.tryPromise(async () => outcomeOf(await callback(request), name)).pipe(
          Effect.catch(({ cause }) => {
            const error = cause instanceof Error ? cause.name : typeof cause
            return Effect.succeed(malformed(`The callback of the gateway has thrown: ${error}`))
          }),
        )
