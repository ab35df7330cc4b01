/**
 * Engines that behave alike: the same random numbers, a shared time that stands still, and a gateway whose answer
 * follows from the phone number.
 */
import { logId } from "@countersign/core/domain/messages/Message"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import type { Behaviour } from "@countersign/core/adapters/Simulation"
import { Proofs } from "@countersign/core/ports/Proofs"
import type { Store } from "@countersign/core/ports/Store"
import * as HttpContract from "@countersign/testing/HttpContract"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** Phone numbers. The last digit says what the gateway does. */
export const phoneNumbers = [
  "+8801712345670",
  "+8801712345671",
  "+8801712345672",
  "+8801712345678",
  "+8801712345673",
  "+8801712345674",
  "+8801712345675",
  "+8801712345676",
] as const

const behaviours: Readonly<Record<string, Behaviour>> = {
  "3": { _tag: "NeverReport" },
  "4": { _tag: "NotSend", message: "No connection" },
  "5": { _tag: "Reject", message: "The carrier refused the message" },
}

/** Such numbers have no WhatsApp. */
const withoutWhatsApp = "6"

/** A signer whose proofs are the claims themselves. */
const layerProofs = Layer.succeed(Proofs, {
  sign: (claims) => Effect.succeed(Redacted.make(JSON.stringify(claims), { label: "proof" })),
  jwks: { keys: [{ kty: "OKP", crv: "Ed25519", use: "sig", kid: "fuzz", x: "AAAA" }] },
})

export interface SeededEngine {
  readonly context: Context.Context<TestEngine.TestEngine>
  /** Runs on this engine, at its time. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, TestEngine.TestEngine>) => Promise<A>
  /** The last code for a number, or for any number. */
  readonly codeFor: (phoneNumber: string | undefined) => string | undefined
}

/** Makes an engine at the time of the context. */
export const seededEngine = Effect.fnUntraced(function* (
  seed: number,
  store?: Layer.Layer<Store>,
): Effect.fn.Return<SeededEngine, never, Scope.Scope> {
  const codes = new Map<string | undefined, string>()
  const engine = TestEngine.layer({
    seed,
    store,
    gateway: {
      behave: ({ code, phoneNumber }) => {
        if (code !== undefined) {
          const text = Redacted.value(code)
          codes.set(phoneNumber, text).set(undefined, text)
        }
        return behaviours[phoneNumber.at(-1) ?? ""] ?? { _tag: "Deliver" }
      },
      isOnWhatsApp: (phoneNumber) => !phoneNumber.endsWith(withoutWhatsApp),
    },
  })
  const services = yield* Layer.build(Layer.provideMerge(engine, layerProofs))
  const context = Context.merge(yield* Effect.context<never>(), services)
  return {
    context,
    run: Effect.runPromiseWith(context),
    codeFor: (phoneNumber) => codes.get(phoneNumber),
  }
})

export const layerTime = HttpContract.layerTime

/** An organization with a message and a request of its own, which other organizations must not see. */
export const openOther = Effect.gen(function* () {
  const { key, organization } = yield* TestEngine.open({ id: "elsewhere" })
  const phoneNumber = phoneNumbers[0]
  const { requestId } = yield* (yield* Verifications).send({ organization, phoneNumber })
  const { messages } = yield* (yield* Messages).search({ organization })
  return { key: Redacted.value(key), requestId, messageId: messages.map(logId).join() }
}).pipe(Effect.orDie)
