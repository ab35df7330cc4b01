/**
 * Answers that the service never gives, and missing answers.
 */
import { createServer } from "node:net"
import { assert, describe, it } from "vitest"
import { listen } from "../../../test/support/loopback.ts"
import { createClient } from "../src/index.ts"
import { all, type Call, calls, reading, writing } from "./support/calls.ts"
import { answer, apiKey, clientOf, type Play, playedService } from "./support/playedService.ts"

const html = `<html><body><h1>502 Bad Gateway</h1>${"<!-- a padding -->".repeat(50)}</body></html>`

const garbage: ReadonlyArray<readonly [string, Play, number, string]> = [
  ["a page of a proxy", answer(502, html, { "content-type": "text/html" }), 502, html],
  ["a page with status 200", answer(200, html), 200, html],
  [
    "truncated JSON",
    answer(200, '{"success":true,"data":{"bal'),
    200,
    '{"success":true,"data":{"bal',
  ],
  ["an empty body", answer(200, ""), 200, ""],
  ["an empty refusal", answer(401, ""), 401, ""],
  ["JSON that is no object", answer(200, "null"), 200, "null"],
  ["a list", answer(400, "[]"), 400, "[]"],
  ["a refusal without a sentence", answer(401, "{}"), 401, "{}"],
  ["a refusal whose sentence is not a string", answer(401, { error: 5 }), 401, '{"error":5}'],
  ["a success with success: false", answer(200, { success: false }), 200, '{"success":false}'],
  ["an unknown status", answer(418, { error: "I" }), 418, '{"error":"I"}'],
  ["an unknown success", answer(204, ""), 204, ""],
  ["a redirect", answer(307, "", { location: "http://127.0.0.1:1/" }), 307, ""],
  ["a price that is too much", answer(402, { error: "E" }), 402, '{"error":"E"}'],
  [
    "an invalid retry_after",
    answer(503, { error: "E", retry_after: "1" }),
    503,
    '{"error":"E","retry_after":"1"}',
  ],
  ["half a character", answer(200, "\ufffd"), 200, "\ufffd"],
]

describe("an unexpected answer", () => {
  it.each(garbage)(
    "is reported with its status and text: %s",
    async (_name, play, status, text) => {
      using service = await playedService(play)
      const { client } = clientOf(service)
      for (const call of all) {
        const result = await calls[call](client)
        assert(!result.ok && result.error.code === "unexpected_response", call)
        assert.deepStrictEqual(result.error, {
          code: "unexpected_response",
          reason: undefined,
          message: `The answer (status ${status}) is not one that the service gives`,
          status,
          text: text.slice(0, 200),
          mayHaveTakenEffect: writing.includes(call),
        })
      }
    },
  )

  it.each([404, 405, 413, 415])("with status %i means that nothing was done", async (status) => {
    using service = await playedService(answer(status, { error: "No" }))
    const result = await clientOf(service).client.messages.send({ phoneNumber: "1", text: "Hello" })
    assert(!result.ok && result.error.code === "unexpected_response")
    assert.isFalse(result.error.mayHaveTakenEffect)
  })

  it("of a proxy does not count as a limit of the service", async () => {
    const refusal = { error: "Slow down" }
    using service = await playedService(answer(429, refusal, { "retry-after": "30" }))
    const result = await clientOf(service).client.verifications.send({ phoneNumber: "+88017" })
    assert(!result.ok)
    assert.strictEqual(result.error.code, "unexpected_response")
  })

  it("is read up to a bound", async () => {
    const chunk = "x".repeat(1_024 * 1_024)
    let written = 0
    using service = await playedService((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += 1
      }
      response.on("drain", more)
      more()
    })
    const result = await clientOf(service).client.balance()
    assert(!result.ok && result.error.code === "unexpected_response")
    assert.strictEqual(result.error.text, "x".repeat(200))
    assert.isBelow(written, 64)
  })
})

/** Begins an answer, and breaks off the connection in the middle. */
const breakOff: Play = (response) => {
  response.writeHead(200, { "content-length": "1000", "content-type": "application/json" })
  response.write('{"success":true,', () => response.destroy())
}

const hangUp: Play = (response) => response.destroy()

const never: Play = () => {}

/** An answer that is begun and never ends. */
const stall: Play = (response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.write('{"success":true,')
}

describe("a missing answer", () => {
  const doubts: ReadonlyArray<readonly [Call, boolean]> = [
    ...reading.map((call) => [call, false] as const),
    ...writing.map((call) => [call, true] as const),
  ]

  it.each(doubts)("after a broken connection: %s, in doubt: %s", async (call, doubt) => {
    for (const play of [breakOff, hangUp]) {
      using service = await playedService(play)
      const result = await calls[call](clientOf(service, { retries: 0 }).client)
      assert(!result.ok && result.error.code === "network")
      assert.strictEqual(result.error.mayHaveTakenEffect, doubt)
      assert.isUndefined(result.error.status)
      assert.match(result.error.message, /^No answer: the connection failed/)
    }
  })

  it.each(doubts)("in time: %s, in doubt: %s", async (call, doubt) => {
    for (const play of [never, stall]) {
      using service = await playedService(play)
      const { client } = clientOf(service, { timeout: "40 milliseconds", retries: 0 })
      assert.deepStrictEqual<unknown>(await calls[call](client), {
        ok: false,
        error: {
          code: "timeout",
          message: "No answer within 40 ms",
          status: undefined,
          mayHaveTakenEffect: doubt,
        },
      })
    }
  })

  it.each(doubts)("after the caller's abort: %s, in doubt: %s", async (call, doubt) => {
    const controller = new AbortController()
    using service = await playedService((response) => {
      response.writeHead(200).write("{")
      controller.abort(new Error("the test aborts the call"))
    })
    const result = await calls[call](clientOf(service).client, controller.signal)
    assert.deepStrictEqual<unknown>(result, {
      ok: false,
      error: {
        code: "aborted",
        message: "The call was aborted",
        status: undefined,
        mayHaveTakenEffect: doubt,
      },
    })
    assert.lengthOf(service.heard, 1)
  })

  it.each(all)("after an abort before the call: %s", async (call) => {
    using service = await playedService(answer(200, {}))
    const result = await calls[call](clientOf(service).client, AbortSignal.abort())
    assert(!result.ok && result.error.code === "aborted")
    assert.isFalse(result.error.mayHaveTakenEffect)
    assert.isEmpty(service.heard)
  })

  it("from a closed port names the runtime's error code", async () => {
    const closed = createServer()
    const port = await listen(closed)
    await new Promise((resolve) => closed.close(resolve))
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey, retries: 0 })
    const result = await client.balance()
    assert(!result.ok && result.error.code === "network")
    assert.strictEqual(result.error.reason, "ECONNREFUSED")
    assert.include(result.error.message, "ECONNREFUSED")
  })

  it("is also reported if the runtime's fetch throws or ignores its signal", async () => {
    const timeout = "40 milliseconds"
    const options = { baseUrl: "http://127.0.0.1", apiKey, retries: 0, timeout } as const
    const throwing = createClient({
      ...options,
      fetch: () => {
        throw new Error(`a header may not be ${apiKey}`)
      },
    })
    const thrown = await throwing.balance()
    assert(!thrown.ok && thrown.error.code === "network")
    assert.notInclude(JSON.stringify(thrown), apiKey)
    const deaf = await createClient({ ...options, fetch: () => new Promise(() => {}) }).balance()
    assert(!deaf.ok && deaf.error.code === "timeout")
  })
})
