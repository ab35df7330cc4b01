import { Actor } from "@countersign/core/domain/Actor"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as Fields from "@countersign/core/domain/Fields"
import type { Audit } from "@countersign/core/services/Audit"
import * as Effect from "effect/Effect"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import { InvalidRequestError } from "../errors/errors.ts"
import type { Method, Run } from "../errors/translate.ts"
import type * as Types from "@countersign/core/codec/AuditData"
import type * as Services from "../types/services.ts"

export const make = (method: Method, service: Audit["Service"]): Services.Audit => ({
  read: method(function* (input = {}) {
    const page = yield* service.read({
      organization: yield* Input.organizationOf(input),
      actor: yield* Input.field("actor", Input.optionalText(input.actor)),
      action: yield* Input.field("action", Input.optionalText(input.action)),
      target: yield* Input.field("target", Input.optionalText(input.target)),
      from: yield* Input.field("from", Input.millis(input.from)),
      to: yield* Input.field("to", Input.millis(input.to)),
      before: yield* Input.field("before", Input.optionalInteger(input.before)),
      limit: yield* Input.field("limit", Input.optionalInteger(input.limit)),
    })
    return Codec.auditPage(page)
  }),
  record: method(function* (input) {
    yield* service.record({
      action: yield* Input.text("action", input.action),
      target: yield* Input.field("target", Input.optionalText(input.target)),
      reason: yield* Input.field("reason", Input.optionalText(input.reason)),
      organization: yield* Input.organizationOf(input),
    })
  }),
})

/** Throws an `InvalidRequestError` for values that are no actor. */
const given = <A>(name: string, read: A | FieldProblem.FieldProblem): A => {
  if (FieldProblem.isFieldProblem(read)) throw new InvalidRequestError({ [name]: [read] })
  return read
}

/** A `Run` in the name of an actor. */
export const runAs = (run: Run, actor: Types.Actor): Run => {
  const id = given("id", Input.id(actor.id))
  const origin = given("origin", Fields.optional(Fields.text)(actor.origin)) ?? null
  const reason = given("reason", Fields.optional(Fields.text)(actor.reason))
  const known = { id, origin, reason }
  return (effect, ...rest) => run(Effect.provideService(effect, Actor, known), ...rest)
}
