import { actor } from "@countersign/core/api/audit"
import * as Input from "@countersign/core/api/Input"
import { Actor } from "@countersign/core/domain/values/Actor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Run } from "../errors/run.ts"
import { translate } from "../errors/translation.ts"
import type * as Types from "@countersign/core/api/PlainTypes"

const readActor = Input.reading({ input: actor })

/** A `Run` in the name of an actor. Throws an `InvalidRequestError` for values that are no actor. */
export const runAs = (run: Run, given: Types.Actor): Run => {
  const read = readActor(given)
  if (Result.isFailure(read)) throw translate(read.failure)
  const { origin = null, ...known } = read.success
  return (effect) => run(Effect.provideService(effect, Actor, { ...known, origin }))
}
