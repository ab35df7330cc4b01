import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { apiKey, described, send } from "./support/described.ts"

/** What has a meaning in one of the places, or in templates. */
const nasty = `"quoted" & <b>100%</b> \\ {to} {{x}} +?#/ ' \n কোড 😀`

describe("HttpGateway, a value in a request", () => {
  it.effect("is encoded in URLs", () =>
    Effect.gen(function* () {
      const { request } = yield* send(
        (baseUrl) =>
          described(baseUrl, {
            request: {
              method: "GET",
              url: `${baseUrl}/{sender}/send?to={to}&text={text}&key={api_key}`,
            },
          }),
        { text: Redacted.make(nasty), sender: "a/b?c" },
      )
      const url = new URL(request?.url ?? "", "http://vendor")
      assert.strictEqual(request?.method, "GET")
      assert.strictEqual(url.pathname, "/a%2Fb%3Fc/send")
      assert.strictEqual(url.searchParams.get("text"), nasty)
      assert.strictEqual(url.searchParams.get("key"), apiKey)
      assert.strictEqual(url.searchParams.get("to"), GatewaySuite.message().phoneNumber)
    }),
  )

  it.effect("is encoded in forms", () =>
    Effect.gen(function* () {
      const { request } = yield* send(
        (baseUrl) =>
          described(baseUrl, {
            request: {
              url: `${baseUrl}/send`,
              body: { form: { text: "<{text}>", to: "{to}", key: "{api_key}" } },
            },
          }),
        { text: Redacted.make(nasty) },
      )
      const form = new URLSearchParams(request?.body)
      assert.strictEqual(form.get("text"), `<${nasty}>`)
      assert.strictEqual(form.get("key"), apiKey)
      assert.match(request?.headers["content-type"] ?? "", /^application\/x-www-form-urlencoded/)
    }),
  )

  it.effect("is encoded in JSON, at any depth, and other values do not change", () =>
    Effect.gen(function* () {
      const { request } = yield* send(
        (baseUrl) =>
          described(baseUrl, {
            request: {
              url: `${baseUrl}/send`,
              body: {
                json: {
                  list: [{ text: "{text}", n: 1, yes: true, no: null }],
                  to: "{{{to}}}",
                  key: "{api_key}",
                },
              },
            },
          }),
        { text: Redacted.make(nasty) },
      )
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
        list: [{ text: nasty, n: 1, yes: true, no: null }],
        to: `{${GatewaySuite.message().phoneNumber}}`,
        key: apiKey,
      })
    }),
  )

  it.effect("is encoded in XML", () =>
    Effect.gen(function* () {
      const { request } = yield* send(
        (baseUrl) =>
          described(baseUrl, {
            request: {
              url: `${baseUrl}/send`,
              body: {
                contentType: "text/xml; charset=utf-8",
                text: `<sms key="{api_key}" to="{to}">{text}</sms>`,
              },
            },
          }),
        { text: Redacted.make("a\u0000<b>&'\"") },
      )
      assert.strictEqual(
        request?.body,
        `<sms key="k3y &quot;of&quot; an &amp; account" to="${GatewaySuite.message().phoneNumber}">a &lt;b&gt;&amp;&apos;&quot;</sms>`,
      )
    }),
  )

  it.effect("does not change in plain text", () =>
    Effect.gen(function* () {
      const { request } = yield* send(
        (baseUrl) =>
          described(baseUrl, {
            request: {
              url: `${baseUrl}/send`,
              headers: { "x-key": "{api_key}" },
              body: { contentType: "text/plain", text: "{to}: {text}" },
            },
          }),
        { text: Redacted.make(nasty) },
      )
      assert.strictEqual(request?.body, `${GatewaySuite.message().phoneNumber}: ${nasty}`)
      assert.strictEqual(request?.headers["x-key"], apiKey)
    }),
  )

  it.effect("can be credentials of basic authentication", () =>
    Effect.gen(function* () {
      const { request } = yield* send((baseUrl) =>
        described(baseUrl, {
          request: {
            url: `${baseUrl}/send`,
            basic: { username: "me", password: "{api_key}" },
            body: { form: { to: "{to}", text: "{text}" } },
          },
        }),
      )
      assert.strictEqual(
        request?.headers["authorization"],
        `Basic ${Buffer.from(`me:${apiKey}`).toString("base64")}`,
      )
    }),
  )

  it.effect("leaves the message to other gateways if it would break a header", () =>
    Effect.gen(function* () {
      const { outcome, request } = yield* send(
        (baseUrl) =>
          described(baseUrl, {
            request: {
              url: `${baseUrl}/send?key={api_key}`,
              headers: { "x-sender": "{sender}" },
              body: { form: { to: "{to}", text: "{text}" } },
            },
          }),
        { sender: "evil\r\nx-other: 1" },
      )
      assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
      assert.isUndefined(request)
    }),
  )

  const forms = [
    { recipient: "plus", sent: GatewaySuite.message().phoneNumber },
    { recipient: "digits", sent: GatewaySuite.message().phoneNumber.slice(1) },
    { recipient: "national", sent: `0${GatewaySuite.message().phoneNumber.slice(4)}` },
  ] as const
  for (const { recipient, sent } of forms) {
    it.effect(`is the number in the form ${recipient}`, () =>
      Effect.gen(function* () {
        const { request } = yield* send((baseUrl) =>
          described(baseUrl, { recipient, country: { code: "880", trunk: "0" } }),
        )
        assert.strictEqual(JSON.parse(request?.body ?? "").to, sent)
      }),
    )
  }

  it.effect("is the reference of the message in each supported form", () =>
    Effect.gen(function* () {
      const { ref, token } = GatewaySuite.message()
      const { request } = yield* send((baseUrl) =>
        described(baseUrl, {
          request: {
            url: `${baseUrl}/send?key={api_key}`,
            body: {
              form: { to: "{to}", text: "{text}", a: "{token}", b: "{token20}", c: "{ref}" },
            },
          },
        }),
      )
      const form = new URLSearchParams(request?.body)
      assert.strictEqual(form.get("a"), token)
      assert.strictEqual(form.get("b"), token.slice(-20))
      assert.strictEqual(form.get("c"), `${ref.organization}.${ref.sequence}`)
    }),
  )
})
