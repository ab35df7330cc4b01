/** Handles the endpoints of the reader's session, and of the sessions of the login. */
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as AdminSession from "@countersign/core/domain/access/AdminSession"
import { masksNumbers } from "@countersign/core/domain/access/Roles"
import { AdminSessions } from "@countersign/core/services/AdminSessions"
import { Installation } from "@countersign/core/services/Installation"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { AdminApi } from "../AdminApi.ts"
import type { AdminOptions, LoginSession, Principal } from "../AdminOptions.ts"
import { CurrentAddress, CurrentPrincipal } from "../Principal.ts"
import { operationsOf } from "./authorization.ts"
import { answering } from "./calls.ts"
import { notFound } from "./errorResponses.ts"

export type HostOptions = Pick<AdminOptions, "inboxUrl" | "isProduction">

export const session = ({ inboxUrl, isProduction = true }: HostOptions) =>
  HttpApiBuilder.group(
    AdminApi,
    "session",
    Effect.fnUntraced(function* (handlers) {
      const { details } = yield* Installation
      const sessions = yield* AdminSessions
      const host = { ...details, production: isProduction, inboxUrl: inboxUrl ?? null }
      /** Answers with what concerns the session of the reader. */
      const ofLogin = <A, R>(
        call: (session: LoginSession, principal: Principal) => Effect.Effect<A, EngineError, R>,
      ) =>
        Effect.flatMap(CurrentPrincipal, (principal) =>
          principal.session === undefined
            ? Effect.succeed(notFound)
            : answering(call(principal.session, principal)),
        )
      const ownOf = ({ login, person = null }: LoginSession) =>
        Effect.map(sessions.list(login), (found) =>
          found.filter((one) => AdminSession.isSamePerson(one, { login, person })),
        )
      /** An operator also ends the sessions of people who have left. */
      const listedTo = (session: LoginSession, { roles }: Principal) =>
        roles.includes("operator") ? sessions.list(session.login) : ownOf(session)
      return handlers.handleAll({
        get: () =>
          Effect.zipWith(CurrentPrincipal, CurrentAddress, (principal, clientAddress) => ({
            actor: {
              id: principal.actor.id,
              name: principal.actor.name ?? null,
              origin: principal.actor.origin ?? null,
            },
            roles: principal.roles,
            organizations: principal.organizations ?? null,
            operations: operationsOf(principal),
            masksNumbers: masksNumbers(principal),
            clientAddress: clientAddress ?? null,
            hasLoginSessions: principal.session !== undefined,
            host,
          })),
        list: () =>
          ofLogin((session, principal) =>
            Effect.map(listedTo(session, principal), (found) => ({
              sessions: found.map(({ agent, id, network, person, seenAt, startedAt }) => ({
                id,
                startedAt,
                lastSeenAt: seenAt,
                network,
                agent,
                name: person?.name ?? null,
                roles: person?.roles ?? [],
                isCurrent: id === session.id,
              })),
            })),
          ),
        endAll: () =>
          ofLogin((session) =>
            Effect.flatMap(ownOf(session), (own) => sessions.endSessions(own.map(({ id }) => id))),
          ),
        end: ({ params: { id } }) =>
          ofLogin((session, principal) =>
            Effect.flatMap(listedTo(session, principal), (listed) =>
              listed.some((one) => one.id === id)
                ? Effect.as(sessions.endSessions([id]), undefined)
                : Effect.succeed(notFound),
            ),
          ),
      })
    }),
  )
