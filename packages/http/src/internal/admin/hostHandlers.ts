/** Handles the endpoints about the session, the host and its gateways. */
import * as HostCodec from "@countersign/core/codec/HostCodec"
import { plainLimits } from "@countersign/core/codec/LimitsCodec"
import { Host } from "@countersign/core/services/Host"
import { Reports } from "@countersign/core/services/Reports"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { CurrentPrincipal } from "../../AdminAccess.ts"
import { AdminApi } from "../../AdminApi.ts"
import type { AdminOptions } from "../../AdminOptions.ts"
import { answering } from "./refusals.ts"

export type HostOptions = Pick<AdminOptions, "inboxUrl" | "isProduction">

const session = ({ inboxUrl, isProduction = true }: HostOptions) =>
  HttpApiBuilder.group(
    AdminApi,
    "session",
    Effect.fnUntraced(function* (handlers) {
      const { facts } = yield* Host
      const { codeChannels, limits, retentionDays, ...rest } = facts
      const host = {
        ...rest,
        channels: codeChannels,
        limits: plainLimits(limits),
        production: isProduction,
        retention: retentionDays,
        inboxUrl: inboxUrl ?? null,
      }
      return handlers.handle("get", () =>
        Effect.map(CurrentPrincipal, ({ actor, organization = null, roles }) => ({
          actor: { id: actor.id, origin: actor.origin ?? null },
          roles,
          organization,
          host,
        })),
      )
    }),
  )

const host = HttpApiBuilder.group(
  AdminApi,
  "host",
  Effect.fnUntraced(function* (handlers) {
    const { gateways } = yield* Host
    const reports = yield* Reports
    return handlers.handleAll({
      gateways: () =>
        Effect.map(gateways, (all) => ({ gateways: all.map(HostCodec.gatewayState) })),
      unmatchedReports: ({ query }) =>
        answering(Effect.map(reports.unmatched(query), HostCodec.unmatchedReports)),
    })
  }),
)

export const layer = (options: HostOptions) => Layer.mergeAll(session(options), host)
