import { MessageId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import { idWithin, readRef } from "../src/internal/ref.ts"
import * as SmsGate from "../src/SmsGate.ts"
import { accepted, json, refused, row, throttled, unknown } from "./fixtures/answers.ts"
import { now, problem, signed, signingKey, state, webhook } from "./fixtures/smsGate.ts"
import { listen, reported } from "./support/polled.ts"
import { jsonOf, readBy, sent, startVendor } from "./support/vendor.ts"
import { withoutEvidence } from "./support/evidence.ts"

const password = "a password of the phone"

const options = { credentials: { username: "SMSGATE", password: Redacted.make(password) } } as const

const events = {
  accepted: ["sms:sent", { sentAt: "2026-01-01T00:00:01Z", partsCount: 1 }],
  delivered: ["sms:delivered", { deliveredAt: "2026-01-01T00:00:02Z" }],
  failed: ["sms:failed", { failedAt: "2026-01-01T00:00:02Z", reason: "RESULT_NO_SERVICE" }],
} as const

const idIn = (body: string): string => /"id":"([^"]+)"/.exec(body)?.[1] ?? ""

const id = idWithin(36, GatewaySuite.message())
const takenAs = (word: string) =>
  row(`a message that is ${word}`, json(state(word, { id }), 202), accepted(id))

const signedAgain = (title: string, time: string, key?: string) => ({
  title,
  forge: ({ body }: GatewaySuite.CallbackRequest) =>
    signed(new TextDecoder().decode(body), time, key),
})

GatewaySuite.suite("SMSGate", {
  make: (baseUrl) => SmsGate.make({ ...options, signingKey: Redacted.make(signingKey), baseUrl }),
  secrets: [password, signingKey],
  documentedFailures: [503],
  refusal: (words) => problem(words, 400),
  accepted: takenAs("Pending"),
  answers: [
    takenAs("Processed"),
    takenAs("Sent"),
    // Parts of it may have been sent: the report tells.
    takenAs("Failed"),
    row("a message that has arrived", json(state("Delivered", { id }), 202), {
      _tag: "Delivered",
      gatewayId: id,
    }),
    row("a message in an undocumented state", json(state("Lost", { id }), 202), unknown),
    row(
      "a message that is there already",
      problem("Message with such ID already exists", 409),
      accepted(id),
    ),
    row(
      "a number that cannot be",
      problem("failed to validate phone number", 400),
      refused("recipient"),
    ),
    row("a text that cannot be", problem("textMessage is empty", 400), refused("content")),
    row(
      "a SIM that cannot be",
      problem("simNumber must be between 1 and 3", 400),
      refused("sender"),
    ),
    row(
      "a number of something else",
      problem("priority must be a number between -128 and 127", 400),
      refused("content"),
    ),
    row("a wrong password", { status: 401, body: "" }, refused("account")),
    row("a token without the scope", problem("Forbidden", 403), refused("account")),
    row("a refusal of a proxy", json({}, 403), unknown),
    row("a full queue", problem("Queue limits exceeded; ensure device is online", 503), throttled),
    row("an overload of a proxy", { status: 503, body: "<html>" }, unknown),
    row("an error of its server", problem("Internal server error", 500), unknown),
  ],
  callbacks: {
    statuses: ["accepted", "delivered", "failed"],
    signatureHeader: "x-signature",
    signsAddress: false,
    report: ({ received, status }) =>
      Effect.sync(() => {
        const [event, payload] = events[status === "undelivered" ? "failed" : status]
        return signed(webhook(event, { messageId: idIn(received.body), ...payload }))
      }),
    forged: [
      ...[String(now + 1), undefined].map((time) => ({
        title: `under the time ${time}`,
        forge: (_: GatewaySuite.CallbackRequest) => ({
          ..._,
          headers: { ..._.headers, "x-timestamp": time },
        }),
      })),
      signedAgain("that is older than five minutes", String(now - 301)),
      signedAgain("from more than five minutes ahead", String(now + 301)),
      signedAgain("with an invalid time", "today"),
      signedAgain("with another key's signature", String(now), "another key"),
      { title: "by GET", forge: (_) => ({ ..._, method: "GET" }) },
    ],
  },
})

describe("SmsGate", () => {
  const receive = (body: string) =>
    Effect.map(
      readBy(SmsGate.make({ ...options, signingKey: Redacted.make(signingKey) }), signed(body)),
      withoutEvidence,
    )

  test.each([
    ["messages that come in", webhook("sms:received", { messageId: "1" })],
    ["signs of life", webhook("system:ping", { health: {} })],
  ] as const)("ignores %s", function* ([, body]) {
    assert.deepStrictEqual(yield* receive(body), { _tag: "Reports", reports: [] })
  })

  test.each([
    ["a body that is no JSON", "{"],
    ["an event without a message", webhook("sms:sent", {})],
  ] as const)("reports %s as malformed", function* ([, body]) {
    assert.strictEqual((yield* receive(body))._tag, "Malformed")
  })

  test("names a message of another sender by the phone's id, with its reason", function* () {
    const reason = "RESULT_ERROR to +8801712345678"
    const messageId = "PyDmBQZZXYmyxMwED8Fzy"
    const outcome = yield* receive(webhook("sms:failed", { messageId, reason }))
    const of = { _tag: "GatewayId", gateway: "smsgate", gatewayId: messageId } as const
    const reports = [{ of, status: "failed", detail: reason }]
    assert.deepStrictEqual<unknown>(outcome, { _tag: "Reports", reports })
  })

  test("sends the documented request", function* () {
    const own = { ...options, deviceId: "device", simNumber: 2, priority: 100 }
    const { request } = yield* sent(
      (baseUrl) => SmsGate.make({ ...own, validity: "1 minute", baseUrl }),
      json(state("Pending"), 202),
    )
    assert.strictEqual(request?.url, "/messages")
    assert.strictEqual(
      request?.headers["authorization"],
      `Basic ${Buffer.from(`SMSGATE:${password}`).toString("base64")}`,
    )
    assert.deepStrictEqual(jsonOf(request), {
      id,
      textMessage: { text: GatewaySuite.text },
      phoneNumbers: [GatewaySuite.message().phoneNumber],
      withDeliveryReport: true,
      deviceId: "device",
      simNumber: 2,
      ttl: 60,
      priority: 100,
    })
  })

  test("signs in with a token instead of the password", function* () {
    const credentials = { token: Redacted.make("a.jwt.token") }
    const { request } = yield* sent(
      (baseUrl) => SmsGate.make({ credentials, baseUrl }),
      json(state("Pending"), 202),
    )
    assert.strictEqual(request?.headers["authorization"], "Bearer a.jwt.token")
  })

  test.each([
    ["a message on its way", "Accepted", json(state("Sent"))],
    ["a message that arrived", "Delivered", json(state("Delivered"))],
    ["a message that failed", "Accepted", json(state("Failed"))],
    ["a message that it does not know", "Unknown", problem("Message not found", 404)],
    ["a wrong password", "Unknown", { status: 401, body: "" }],
  ] as const)("looks a dispatch up, and takes %s as %s", function* ([, expected, answer]) {
    const vendor = yield* startVendor(() => answer)
    const { gateway } = yield* SmsGate.make({ ...options, baseUrl: vendor.baseUrl })
    assert.isTrue(gateway.capabilities.lookup)
    const outcome = yield* gateway.lookup({ ...GatewaySuite.message(), taken: null })
    assert.strictEqual(outcome._tag, expected)
    assert.strictEqual(vendor.requests[0]?.url, `/messages/${id}`)
  })

  test("polls for reports if no key signs them", function* () {
    const failed = json(state("Failed", { recipients: [{ error: "No SIM" }] }))
    const answers = [json(state("Pending"), 202), json(state("Sent")), failed]
    const vendor = yield* startVendor(() => answers.shift() ?? json({}))
    const { callback, gateway } = yield* SmsGate.make({ ...options, baseUrl: vendor.baseUrl })
    assert.isUndefined(callback)
    assert.strictEqual(gateway.capabilities.reports, "polled")
    const { next, pass } = yield* listen(gateway)
    yield* gateway.send(GatewaySuite.message())
    yield* pass("7 seconds")
    assert.strictEqual((yield* next).status, "accepted")
    yield* pass("13 seconds")
    assert.deepInclude(yield* next, { of: reported, status: "failed", detail: "No SIM" })
  })

  it("names a message by its reference and a mark, in 36 characters", () => {
    const message = GatewaySuite.message()
    assert.match(id, /^acme\.1\.[0-9a-f]{12}$/)
    assert.deepStrictEqual(readRef(id), { ...message.ref, token: message.token.slice(-12) })
    const token = MessageId(`${message.token.slice(0, -1)}f`)
    assert.notStrictEqual(idWithin(36, { ...message, token }), id)
  })

  it("names a message by its token if the organization's name is long", () => {
    const ref = { organization: OrganizationId("a".repeat(40)), sequence: 7 }
    const long = idWithin(36, { ref, token: GatewaySuite.message().token })
    assert.strictEqual(long.length, 36)
    assert.isUndefined(readRef(long))
  })
})
