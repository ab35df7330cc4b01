import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Samples from "@countersign/testing/Samples"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Adapter, CallbackRequest } from "../../src/Adapter.ts"

/** A vendor on loopback whose answers may depend on the request. */
export const startVendor = (
  answer: (request: GatewaySuite.ReceivedRequest) => GatewaySuite.VendorAnswer,
) =>
  Effect.tap(GatewaySuite.startVendor(), ({ conduct }) =>
    Effect.sync(() => conduct((request) => ({ _tag: "Answer", ...answer(request) }))),
  )

/** The form in a request. */
export const formOf = (request: GatewaySuite.ReceivedRequest | undefined) =>
  Object.fromEntries(new URLSearchParams(request?.body))

/** The JSON in a request; `undefined` if there is no request. */
export const jsonOf = (request: GatewaySuite.ReceivedRequest | undefined): unknown =>
  request && JSON.parse(request.body)

/** Sends a message with an adapter to a vendor that gives this answer. */
export const sent = <E>(
  make: (baseUrl: string) => Effect.Effect<Adapter, E, GatewaySuite.Platform>,
  answer: GatewaySuite.VendorAnswer,
  message: Parameters<typeof GatewaySuite.message>[0] = {},
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    const { baseUrl, requests } = yield* startVendor(() => answer)
    const { gateway } = yield* make(baseUrl)
    const outcome = yield* gateway.send(GatewaySuite.message(message))
    const code = "vendorCode" in outcome ? outcome.vendorCode : undefined
    const meaning = code === undefined ? undefined : gateway.meaningOf?.(gateway.name, code)
    return { meaning, outcome, request: requests[0] }
  }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform))

/** The outcome of a vendor's request. */
export const readBy = <E>(
  made: Effect.Effect<Adapter, E, GatewaySuite.Platform>,
  request: CallbackRequest,
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    const { callback } = yield* made
    return yield* callback?.(request) ?? Effect.die("no callback")
  }).pipe(Effect.provide(GatewaySuite.platform))
