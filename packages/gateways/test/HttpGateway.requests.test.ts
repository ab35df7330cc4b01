import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import type { HttpRequestDescription } from "../src/HttpDescription.ts"
import { apiKey, described, send } from "./support/described.ts"

/** What has a meaning in one of the places, or in templates. */
const nasty = `"quoted" & <b>100%</b> \\ {to} {{x}} +?#/ ' \n কোড 😀`

const { phoneNumber, ref, token } = GatewaySuite.message()

/** Sends a message with the request of a description, to `/send` if it names no path. */
const sendBy = (
  request: Omit<HttpRequestDescription, "url">,
  message: Parameters<typeof GatewaySuite.message>[0] = { text: Redacted.make(nasty) },
  path = "/send",
) =>
  send(
    (baseUrl) => described(baseUrl, { request: { ...request, url: `${baseUrl}${path}` } }),
    message,
  )

const filled = { form: { to: "{to}", text: "{text}" } }

/** What a vendor reads of a body. */
const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body))
const jsonOf = (body: string): unknown => JSON.parse(body)
const textOf = (body: string) => body

describe("HttpGateway, a value in a request", () => {
  test("is encoded in URLs", function* () {
    const path = "/{sender}/send?to={to}&text={text}&key={api_key}"
    const message = { text: Redacted.make(nasty), sender: "a/b?c" }
    const { request } = yield* sendBy({ method: "GET" }, message, path)
    const url = new URL(request?.url ?? "", "http://vendor")
    assert.strictEqual(request?.method, "GET")
    assert.strictEqual(url.pathname, "/a%2Fb%3Fc/send")
    assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
      to: phoneNumber,
      text: nasty,
      key: apiKey,
    })
  })

  test.each<
    readonly [
      place: string,
      body: NonNullable<HttpRequestDescription["body"]>,
      read: (body: string) => unknown,
      expected: unknown,
      type: RegExp,
    ]
  >([
    [
      "forms",
      { form: { text: "<{text}>", to: "{to}", key: "{api_key}" } },
      formOf,
      { text: `<${nasty}>`, to: phoneNumber, key: apiKey },
      /^application\/x-www-form-urlencoded/,
    ],
    [
      "JSON, at any depth, and other values do not change",
      {
        json: {
          list: [{ text: "{text}", n: 1, yes: true, no: null }],
          to: "{{{to}}}",
          key: "{api_key}",
        },
      },
      jsonOf,
      { list: [{ text: nasty, n: 1, yes: true, no: null }], to: `{${phoneNumber}}`, key: apiKey },
      /^application\/json/,
    ],
    [
      "plain text, where it does not change",
      { contentType: "text/plain", text: "{api_key} to {to}: {text}" },
      textOf,
      `${apiKey} to ${phoneNumber}: ${nasty}`,
      /^text\/plain/,
    ],
    [
      "each form of the message's reference, and its class",
      {
        form: {
          ...filled.form,
          key: "{api_key}",
          a: "{token}",
          b: "{token20}",
          c: "{ref}",
          d: "{class}",
        },
      },
      formOf,
      {
        to: phoneNumber,
        text: nasty,
        key: apiKey,
        a: token,
        b: token.slice(-20),
        c: `${ref.organization}.${ref.sequence}`,
        d: "transactional",
      },
      /^application/,
    ],
  ])("is encoded in %s", function* ([, body, read, expected, type]) {
    const { request } = yield* sendBy({ body })
    assert.deepStrictEqual(read(request?.body ?? ""), expected)
    assert.match(request?.headers["content-type"] ?? "", type)
  })

  test("is encoded in XML", function* () {
    const { request } = yield* sendBy(
      {
        body: {
          contentType: "text/xml; charset=utf-8",
          text: `<sms key="{api_key}" to="{to}">{text}</sms>`,
        },
      },
      { text: Redacted.make("a\u0000<b>&'\"") },
    )
    assert.strictEqual(
      request?.body,
      `<sms key="k3y &quot;of&quot; an &amp; account" to="${phoneNumber}">a &lt;b&gt;&amp;&apos;&quot;</sms>`,
    )
  })

  test("can be credentials of basic authentication, and a header", function* () {
    const { request } = yield* sendBy({
      basic: { username: "me", password: "{api_key}" },
      headers: { "x-key": "{api_key}" },
      body: filled,
    })
    assert.strictEqual(
      request?.headers["authorization"],
      `Basic ${Buffer.from(`me:${apiKey}`).toString("base64")}`,
    )
    assert.strictEqual(request?.headers["x-key"], apiKey)
  })

  test("leaves the message to other gateways if it would break a header", function* () {
    const headers = { "x-sender": "{sender}" }
    const message = { sender: "evil\r\nx-other: 1" }
    const path = "/send?key={api_key}"
    const { outcome, request } = yield* sendBy({ headers, body: filled }, message, path)
    assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
    assert.isUndefined(request)
  })

  test.each([
    ["plus", phoneNumber],
    ["digits", phoneNumber.slice(1)],
    ["national", `0${phoneNumber.slice(4)}`],
  ] as const)("is the number in the form %s", function* ([recipient, sent]) {
    const { request } = yield* send((baseUrl) =>
      described(baseUrl, { recipient, country: { code: "880", trunk: "0" } }),
    )
    assert.strictEqual(JSON.parse(request?.body ?? "").to, sent)
  })
})
