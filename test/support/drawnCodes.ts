/** Codes that the engine draws, with the cryptography of a Node server. `Math.random` throws meanwhile. */
import * as Codes from "@countersign/core/engine/Codes"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Node from "@countersign/node/Node"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { vi } from "vitest"

export const lengths: ReadonlyArray<number> = [4, 5, 6, 7, 8, 9, 10]

const layer = Codes.layer.pipe(
  Layer.provide([CodeSecrets.layer(TestEngine.codeSecret), Node.layerCrypto]),
)

/** Draws codes without end, until it is disposed of. */
export const drawing = async (length: number) => {
  const { generate } = await Effect.runPromise(Effect.provide(Codes.Codes, layer))
  const one = Effect.map(generate(length), Redacted.value)
  const random = vi.spyOn(Math, "random").mockImplementation(() => {
    throw new Error("Math.random is not for codes")
  })
  const endless = function* () {
    for (;;) yield Effect.runSync(one)
  }
  return Object.assign(endless(), { [Symbol.dispose]: () => random.mockRestore() })
}
