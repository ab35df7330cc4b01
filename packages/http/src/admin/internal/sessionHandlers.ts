/** Handles the endpoints about the session of the reader. */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import { Installation } from "@countersign/core/services/Installation"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { AdminApi } from "../AdminApi.ts"
import type { AdminOptions, LoginSession } from "../AdminOptions.ts"
import { answering } from "./calls.ts"
import { notFound } from "./errorResponses.ts"

export type HostOptions = Pick<AdminOptions, "inboxUrl" | "isProduction">

export const layer = ({ inboxUrl, isProduction = true }: HostOptions) =>
  HttpApiBuilder.group(
    AdminApi,
    "session",
    Effect.fnUntraced(function* (handlers) {
      const { details } = yield* Installation
      const sessions = yield* AdminSessions
      const host = { ...details, production: isProduction, inboxUrl: inboxUrl ?? null }
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
                startedAt,
                lastSeenAt: seenAt,
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
