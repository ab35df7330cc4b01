import * as Port from "@countersign/core/ports/Proofs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ConfigurationError } from "../errors/errors.ts"
import type { CountersignOptions } from "../types/options.ts"
import { mayServeUsers } from "./check.ts"

/** Thumbprints of private keys that are public: the example of RFC 8037, which our tests also use. */
const published: ReadonlyArray<string> = ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"]

/** The signer of proofs. Loads its code only if the host has keys. No error quotes a key. */
export const layer = (options: CountersignOptions): Layer.Layer<never, ConfigurationError> => {
  const given = options.verifications?.proofs
  if (given === undefined) return Layer.empty
  const { keys: texts = [], ...others } = given
  const keys = texts.map((key) => Redacted.make(key, { label: "proof key" }))
  return Layer.effect(
    Port.Proofs,
    Effect.gen(function* () {
      const { make } = yield* Effect.promise(() => import("@countersign/proofs/ProofSigner"))
      const signer = yield* make({ ...others, keys })
      const ids = signer.jwks.keys.map(({ kid }) => kid)
      const place = ids.findIndex((id) => published.includes(id))
      if (place !== -1 && mayServeUsers(options)) {
        return yield* Effect.fail(
          new Error(`key ${place + 1} stands in public documents; make your own`),
        )
      }
      return signer
    }).pipe(
      Effect.mapError(({ message }) => new ConfigurationError(`verifications.proofs: ${message}`)),
    ),
  )
}
