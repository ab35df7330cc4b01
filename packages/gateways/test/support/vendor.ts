import type * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { type FetchHandler, serveFetch } from "../../../../test/support/fetchServer.ts"

export interface Vendor {
  readonly baseUrl: string
  readonly requests: ReadonlyArray<GatewaySuite.ReceivedRequest>
  /** The next request, once it has been read. */
  readonly nextRequest: Effect.Effect<GatewaySuite.ReceivedRequest>
}

/** A vendor on loopback whose answers may depend on the request. */
export const startVendor = (
  answer: (request: GatewaySuite.ReceivedRequest) => GatewaySuite.VendorAnswer,
): Effect.Effect<Vendor, never, Scope.Scope> =>
  Effect.gen(function* () {
    const requests: Array<GatewaySuite.ReceivedRequest> = []
    const queue = yield* Queue.unbounded<GatewaySuite.ReceivedRequest>()
    const handler: FetchHandler = async (request) => {
      const url = new URL(request.url)
      const received = {
        method: request.method,
        url: `${url.pathname}${url.search}`,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      }
      requests.push(received)
      Queue.offerUnsafe(queue, received)
      const { body, headers = {}, status } = answer(received)
      return new Response(body, { status, headers: { ...headers } })
    }
    return { baseUrl: yield* serveFetch(handler), requests, nextRequest: Queue.take(queue) }
  })
