import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { test } from "../../../test/support/gatewayTest.ts"
import type { HttpDescription, HttpPoll, HttpRequestDescription } from "../src/HttpDescription.ts"
import * as HttpGateway from "../src/HttpGateway.ts"
import { described, secrets } from "./support/described.ts"

describe("HttpGateway rejects at the start", () => {
  const base = described("https://sms.example.com")
  const change = (changes: Partial<HttpDescription>) => ({ ...base, ...changes })
  const request = (changes: Partial<HttpRequestDescription>) =>
    change({ request: { ...base.request, ...changes } })
  const outcome = (row: HttpDescription["outcomes"][number]) =>
    change({ outcomes: [...base.outcomes, row] })
  const poll = (changes: Partial<HttpPoll>) =>
    change({
      poll: {
        request: { method: "GET", url: "https://sms.example.com/{id}" },
        statuses: [{ when: { path: "status", equals: "done" }, status: "delivered" }],
        ...changes,
      },
    })

  const rows: ReadonlyArray<readonly [unknown, string]> = [
    [{}, "request"],
    [{ ...base, titel: "a key that is unknown" }, "titel"],
    [request({ url: "ftp://sms.example.com/{api_key}" }), "http:// or https://"],
    [request({ url: "https://{api_key}.example.com/" }), "in the path and the query only"],
    [request({ url: "https://me:word@example.com/{api_key}" }), "use basic"],
    [request({ url: "https://:99999/{api_key}" }), "no address"],
    [request({ url: "https://sms.example.com/{api_key}{" }), "a brace stands alone"],
    [
      request({ url: "https://sms.example.com/{api_key}/{nothing}" }),
      "nothing is known as {nothing}",
    ],
    [request({ method: "GET" }), "a GET has none"],
    [request({ headers: { "no name": "x" } }), "no name of a header"],
    [
      request({ body: { text: "{to}{text}", contentType: "application/json" } }),
      "use form or json",
    ],
    [request({ body: { form: { text: "{text}" } } }), "does not say to whom"],
    [request({ body: { form: { to: "{to}" } } }), "does not hold the text"],
    [request({ url: "https://sms.example.com/" }), "the secret {api_key} is used nowhere"],
    [request({ headers: { x: "{encoding}" } }), "{encoding} needs encodings"],
    [change({ secrets: ["api_key", "text"] }), "{text} has a meaning already"],
    [change({ values: { api_key: "x" } }), "{api_key} is named twice"],
    [change({ values: { "a-b": "x" } }), "no name of a placeholder"],
    [change({ recipient: "national" }), "needs the country"],
    [change({ country: { code: "+880", trunk: "0" } }), "country: write it like"],
    [change({ outcomes: [] }), "no answer means that a message was taken"],
    [change({ timeout: "0 seconds" }), "timeout must be between 1 millisecond and 2 minutes"],
    [{ ...base, timeout: 15_000 }, 'must be a number with its unit: write "15 seconds"'],
    [{ ...base, tokenLifetime: "-1 seconds" }, "must be a number with its unit"],
    [{ ...base, idLifetime: 3_600 }, 'write "3600 seconds"'],
    [
      change({
        tokenLifetime: "1 minute",
        request: { ...base.request, body: { form: { to: "{to}", text: "{text}" } } },
      }),
      "the request has no {token}",
    ],
    [change({ id: { path: "a..b" } }), "is no path"],
    [change({ id: { pattern: "id" } }), "needs a group"],
    [change({ segments: { pattern: "(" } }), "is no pattern"],
    [change({ code: undefined, meanings: { 7: "The sender is wrong" } }), "meanings need the code"],
    [outcome({ when: {}, means: "content" }), "needs a status, a path or a pattern"],
    [outcome({ when: [], means: "content" }), "a condition is missing"],
    [outcome({ when: { status: 200, equals: 1 }, means: "content" }), "equals needs a path"],
    [outcome({ when: { matches: "[" }, means: "content" }), "is no pattern"],
    [outcome({ when: { status: 200 }, means: "accepted" }), "a status alone does not prove"],
    [
      outcome({ when: { status: 400 }, means: "content", retryAfter: "1 second" }),
      "retryAfter is for throttled",
    ],
    [poll({ statuses: [] }), "no status is a last word"],
    [
      poll({ request: { method: "GET", url: "https://sms.example.com/" } }),
      "does not say which message",
    ],
    [poll({ request: { method: "GET", url: "https://sms.example.com/{id}/{text}" } }), "{text}"],
    [poll({ first: "0 seconds" }), "does not hold"],
    [poll({ first: "1 minute", longest: "30 seconds" }), "does not hold"],
    [{ ...poll({}), id: undefined }, "{id} needs the description's id"],
  ]
  it.each(rows.map(([description, problem]) => ({ description, problem })))(
    "a description with the problem: $problem",
    ({ description, problem }) => {
      const decoded = HttpGateway.decode(description)
      assert.include(Result.isFailure(decoded) ? decoded.failure.message : "", problem)
    },
  )

  it("an unusable value", () => {
    const decoded = HttpGateway.decode(JSON.parse(JSON.stringify(poll({}))))
    assert.isTrue(Result.isSuccess(decoded))
  })

  test.each([
    ["a secret", { description: base }, "the secret {api_key} is missing"],
    [
      "an empty secret",
      { description: base, secrets: { api_key: Redacted.make("") } },
      "the secret {api_key} is missing",
    ],
    [
      "a value",
      { description: change({ values: { user: "" } }), secrets },
      "the value {user} is missing",
    ],
  ])("a host that does not give %s", function* ([, options, problem]) {
    const error = yield* Effect.flip(HttpGateway.make(options))
    assert.deepStrictEqual(error.problems, [problem])
  })
})
