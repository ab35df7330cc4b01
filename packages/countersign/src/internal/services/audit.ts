import { Actor } from "@countersign/core/domain/values/Actor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Input from "./inputReaders.ts"
import type { Run } from "../errors/run.ts"
import { translate } from "../errors/translation.ts"
import type * as Types from "@countersign/core/api/PlainTypes"
import { reading, type ReadersOf } from "./method.ts"

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
