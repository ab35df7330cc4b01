import { Actor } from "@countersign/core/domain/values/Actor"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import type { Audit } from "@countersign/core/services/Audit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { Run } from "../errors/run.ts"
import { translate } from "../errors/translation.ts"
import type * as Types from "@countersign/core/codec/AuditData"
import type * as Services from "../types/services.ts"
import { type Methods, reading, type ReadersOf } from "./method.ts"

export const make = ({ method }: Methods, service: Audit["Service"]): Services.Audit => ({
  read: method(
    {
      organization: Input.organization,
      actor: Input.optionalText,
      action: Input.optionalText,
      target: Input.optionalText,
      from: Input.millis,
      to: Input.millis,
      before: Input.optionalInteger,
      limit: Input.optionalInteger,
    },
    function* (input) {
      return Codec.auditPage(yield* service.read(input))
    },
  ),
  record: method(
    {
      organization: Input.organization,
      action: Fields.text,
      target: Input.optionalText,
      reason: Input.optionalText,
    },
    function* (input) {
      yield* service.record(input)
    },
  ),
})

const readActor = reading(
  {
    id: Input.id,
    origin: Input.optionalText,
    reason: Input.optionalText,
  } satisfies ReadersOf<Types.Actor>,
  "refused",
)

/** A `Run` in the name of an actor. Throws an `InvalidRequestError` for values that are no actor. */
export const runAs = (run: Run, actor: Types.Actor): Run => {
  const read = readActor(actor)
  if (Result.isFailure(read)) throw translate(read.failure)
  const { origin = null, ...known } = read.success
  return (effect, ...rest) =>
    run(Effect.provideService(effect, Actor, { ...known, origin }), ...rest)
}
