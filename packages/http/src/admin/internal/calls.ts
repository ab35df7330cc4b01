/** Calls the engine for a request. Its errors become responses, and the audit names what the request does. */
import { field } from "@countersign/core/api/Input"
import { maxActorLength } from "@countersign/core/domain/access/AuditRecord"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import { Actor } from "@countersign/core/domain/values/Actor"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Audit } from "@countersign/core/services/Audit"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { CurrentOrganization } from "../Principal.ts"
import { ofError } from "./errorResponses.ts"

/** Turns the errors of the engine into responses. */
export const answering = <A, R>(
  effect: Effect.Effect<A, EngineError, R>,
): Effect.Effect<A | HttpServerResponse, never, R> =>
  Effect.catch(effect, (error) => Effect.succeed(ofError(error)))

/** Calls the engine for the organization in the path. */
export const inOrganization = <A, R>(
  call: (organization: OrganizationId) => Effect.Effect<A, EngineError, R>,
) => answering(Effect.flatMap(CurrentOrganization, call))

const visible = (text: string): string => text.replace(/\p{C}+/gu, " ")

/** The reason of a change, as the audit keeps it. It has visible characters. */
export const reasonOf = (name: string, given: string) => {
  const reason = visible(given).trim()
  const max = maxActorLength
  if (reason.length > max) return field<string>(name, FieldProblem.make("too_long", { max }))
  return field<string>(name, reason === "" ? FieldProblem.make("empty", {}) : reason)
}

/** Makes a change for a reason, which must not be empty. */
export const withReason =
  (given: string) =>
  <A, R>(change: Effect.Effect<A, EngineError, R>) =>
    Effect.flatMap(reasonOf("reason", given), (reason) =>
      Effect.updateService(change, Actor, (actor) => ({ ...actor, reason })),
    )

/** The target of a request, as the audit can keep it. The engine refuses an invalid one with the caller's own field. */
const storable = (text: string): string | undefined => {
  const kept = Array.from(visible(text)).slice(0, 200)
  return kept.length === 0 ? undefined : kept.join("")
}

/**
 * Makes the function that records a call before it, so that a failing audit refuses it. The other way round, a message
 * that was sent would be answered with an error, and sent again.
 */
export const recordFirst = Effect.map(
  Audit,
  (audit) =>
    <A, R>(
      organization: OrganizationId,
      action: string,
      target: string,
      call: Effect.Effect<A, EngineError, R>,
    ) =>
      Effect.andThen(audit.record({ organization, action, target: storable(target) }), call),
)
