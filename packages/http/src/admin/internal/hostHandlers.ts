/** Handles the endpoints about the session, the host and its gateways. */
import * as HostCodec from "@countersign/core/codec/HostCodec"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { plainLimits } from "@countersign/core/domain/limits/LimitsCodec"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import { Host } from "@countersign/core/services/Installation"
import { Reports } from "@countersign/core/services/Reports"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import type { AdminOptions, LoginSession } from "../AdminOptions.ts"
import { answering, notFound } from "./errorResponses.ts"

export type HostOptions = Pick<AdminOptions, "inboxUrl" | "isProduction">

const session = ({ inboxUrl, isProduction = true }: HostOptions) =>
  HttpApiBuilder.group(
    AdminApi,
    "session",
    Effect.fnUntraced(function* (handlers) {
      const { facts } = yield* Host
      const sessions = yield* AdminSessions
      const { codeChannels, limits, ...rest } = facts
      const host = {
        ...rest,
        channels: codeChannels,
        limits: plainLimits(limits),
        production: isProduction,
        inboxUrl: inboxUrl ?? null,
      }
      /** Answers with what concerns the session of the reader. */
      const ofLogin = <A, R>(call: (session: LoginSession) => Effect.Effect<A, EngineError, R>) =>
        Effect.flatMap(CurrentPrincipal, ({ session }) =>
          session === undefined ? Effect.succeed(notFound) : answering(call(session)),
        )
      return handlers.handleAll({
        get: () =>
          Effect.zipWith(
            CurrentPrincipal,
            CurrentAddress,
            ({ actor, organization = null, roles, session }, clientAddress) => ({
              actor: { id: actor.id, origin: actor.origin ?? null },
              roles,
              organization,
              clientAddress: clientAddress ?? null,
              hasLoginSessions: session !== undefined,
              host,
            }),
          ),
        list: () =>
          ofLogin(({ id: current, login }) =>
            Effect.map(sessions.list(login), (found) => ({
              sessions: found.map(({ agent, id, network, seenAt, startedAt }) => ({
                id,
                startedAt: new Date(startedAt),
                lastSeenAt: new Date(seenAt),
                network,
                agent,
                isCurrent: id === current,
              })),
            })),
          ),
        endAll: () => ofLogin(({ login }) => sessions.endAll(login)),
      })
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
