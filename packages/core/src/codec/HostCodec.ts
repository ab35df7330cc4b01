/** Converts what operators see of the host to plain data. */
import { date } from "./Codec.ts"
import * as Duration from "../domain/values/Duration.ts"
import type * as HostData from "./HostData.ts"
import type { GatewayState as CoreGateway } from "../ports/Gateway.ts"
import type { UnmatchedPage } from "../services/Reports.ts"

export const gatewayState = ({
  capabilities,
  channels,
  gateway,
  pairMillis = 0,
  perSecond,
  reason,
  state,
}: CoreGateway): HostData.GatewayState => ({
  gateway,
  state,
  reason: reason ?? null,
  channels,
  reports: capabilities.reports,
  honoursToken: capabilities.tokenMillis > 0,
  lookup: capabilities.lookup,
  recipientCheck: capabilities.recipientCheck,
  timeout: Duration.format(Math.round(capabilities.timeoutMillis)),
  perSecond: perSecond ?? null,
  recipientPause: Duration.format(Math.round(pairMillis)),
})

export const unmatchedReports = ({ next, reports }: UnmatchedPage): HostData.UnmatchedReports => ({
  reports: reports.map(({ receivedAt, ...report }) => ({
    ...report,
    receivedAt: date(receivedAt),
  })),
  next: next ?? null,
})
