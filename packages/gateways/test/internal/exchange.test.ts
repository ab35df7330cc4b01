import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { test } from "../../../../test/support/gatewayTest.ts"
import { deadHost, impatientFetch } from "../support/deadHost.ts"
import { exchange } from "../../src/internal/exchange.ts"

describe("exchange", () => {
  it.live("reports that nothing was sent to a host that drops every connection attempt", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const outcome = yield* exchange(client, HttpClientRequest.post(yield* deadHost))
      assert.deepStrictEqual(outcome, {
        _tag: "NotSent",
        message: "No connection to the gateway (UND_ERR_CONNECT_TIMEOUT)",
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(FetchHttpClient.layer),
      Effect.provideService(FetchHttpClient.Fetch, impatientFetch()),
    ),
  )

  test("leaves an invalid request to other gateways, without blaming the vendor", function* () {
    const client = yield* HttpClient.HttpClient
    const outcome = yield* exchange(client, HttpClientRequest.post("http://no host/"))
    assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
  })
})
