import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import { Gateway } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHmac, X509Certificate } from "node:crypto"
import * as GatewaySuite from "../src/GatewaySuite.ts"
import { selfSigned } from "../src/internal/gateway-suite/certificate.ts"
import { coverageProblems } from "../src/internal/gateway-suite/coverage.ts"
import { overHttp } from "../src/internal/gateway-suite/http.ts"
import { failedTests } from "./support/failedTests.ts"

const key = "the key of a small carrier"
const url = "https://sms.example.com/callbacks/small"

/** What an adapter can get wrong, and the tests that find it. */
const found = {
  followsRedirects: /a bare 302/,
  triesAgain: /a reset before the answer/,
  believesTheStatus: /HTML under the status of success/,
  takesAResetForNotSent: /an answer that breaks off/,
  takesADeadHostForUnknown: /no host answers the connection/,
  givesUpBeforeFetch: /longer than its connection attempt/,
  takesAnOutageForARefusal: /a bare 503/,
  readsWithoutEnd: /an answer that is too long/,
  repeatsTheVendor: /repeats a refusal without/,
  logsTheText: /a message with an id/,
  tracesTheNumber: /a message with an id/,
  forgetsTheToken: /another installation's message/,
  namesTheVendorsIdOnly: /even if the answer to the send was lost/,
  namesARequestTwice: /a repeated signed request once/,
  believesEverybody: /refuses a report without a signature/,
  believesAnyAddress: /refuses a report that was made to another path/,
}

type Mistakes = Partial<Readonly<Record<keyof typeof found, boolean>>>

const tagOf = (address: string, body: string): string =>
  createHmac("sha256", key).update(`${address} ${body}`).digest("hex")

const Answer = Schema.Union([
  Schema.Struct({ id: Schema.NonEmptyString }),
  Schema.Struct({ refused: Schema.String }),
])
const readAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

const readReport = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.String,
      number: Schema.Int,
      token: Schema.String,
      status: Schema.Literals(["accepted", "delivered", "undelivered", "failed"]),
    }),
  ),
)

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause ? String(cause.code) : "none"
}

const unsent = ["ECONNREFUSED", "DEPTH_ZERO_SELF_SIGNED_CERT"]
const deadHost = "UND_ERR_CONNECT_TIMEOUT"

const fetched = (baseUrl: string, { ref, text, token }: GatewayMessage, mistakes: Mistakes) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(baseUrl, {
        method: "POST",
        redirect: mistakes.followsRedirects === true ? "follow" : "manual",
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ text: Redacted.value(text), number: ref.sequence, token }),
        signal,
      })
      return { status: response.status, text: await response.text() }
    },
    catch: codeOf,
  })

const plain = (words: string): string =>
  `quoting ${words.replaceAll(/\d/g, "").replaceAll(key, "").replaceAll("is your verification code, quokka.", "")}`

const unknown: GatewayOutcome = { _tag: "Unknown", message: "" }

const outcomeOf = (
  answer: { readonly status: number; readonly text: string },
  mistakes: Mistakes,
): GatewayOutcome => {
  if (mistakes.believesTheStatus === true && answer.status === 200) {
    return { _tag: "Accepted", gatewayId: "small-1" }
  }
  if (mistakes.takesAnOutageForARefusal === true && answer.status === 503) {
    return { _tag: "NotSent", message: "" }
  }
  const isReadable = answer.text.length < 100_000 || mistakes.readsWithoutEnd === true
  const read = isReadable ? Option.getOrUndefined(readAnswer(answer.text)) : undefined
  if (read === undefined || answer.status !== 200) return unknown
  if ("id" in read) return { _tag: "Accepted", gatewayId: read.id }
  const message = mistakes.repeatsTheVendor === true ? read.refused : plain(read.refused)
  return { _tag: "Rejected", reason: "content", message }
}

let namesGiven = 0

/** A small adapter that is correct, except for the given mistakes. */
const adapter = (baseUrl: string, mistakes: Mistakes = {}): GatewaySuite.Adapter => ({
  gateway: Gateway.of({
    name: "small",
    capabilities: {
      tokenMillis: 0,
      lookup: false,
      recipientCheck: false,
      reports: "signed",
      references: true,
      segments: false,
      timeoutMillis: mistakes.givesUpBeforeFetch === true ? 10_000 : 15_000,
    },
    send: (message) =>
      Effect.gen(function* () {
        if (mistakes.logsTheText === true) yield* Effect.logDebug(Redacted.value(message.text))
        const asking = fetched(baseUrl, message, mistakes)
        const answer = yield* mistakes.triesAgain === true
          ? Effect.retry(asking, { times: 1 })
          : asking
        return outcomeOf(answer, mistakes)
      }).pipe(
        Effect.catch((code) =>
          Effect.succeed<GatewayOutcome>(
            unsent.includes(code) ||
              (code === deadHost && mistakes.takesADeadHostForUnknown !== true) ||
              mistakes.takesAResetForNotSent === true
              ? { _tag: "NotSent", message: code }
              : unknown,
          ),
        ),
        Effect.withSpan("send", {
          attributes: mistakes.tracesTheNumber === true ? { to: message.phoneNumber } : {},
        }),
      ),
    isReachable: () => Effect.succeed("unknown"),
    lookup: () => Effect.succeed(unknown),
    reports: Stream.never,
  }),
  callback: (request) =>
    Effect.sync(() => {
      const body = new TextDecoder().decode(request.body)
      const address = mistakes.believesAnyAddress === true ? url : request.url.href
      const isSigned =
        mistakes.believesEverybody === true ||
        request.headers["x-signature"] === tagOf(address, body)
      if (!isSigned) return { _tag: "Refused", reason: "" } as const
      const { id, number, status, token } = readReport(body)
      const of: DeliveryReport["of"] =
        mistakes.namesTheVendorsIdOnly === true
          ? { _tag: "GatewayId", gateway: "small", gatewayId: id }
          : {
              _tag: "Message",
              ...GatewaySuite.message().ref,
              sequence: number,
              token: mistakes.forgetsTheToken === true ? undefined : token,
            }
      const once = mistakes.namesARequestTwice === true ? `${namesGiven++}` : undefined
      return { _tag: "Reports", reports: [{ of, status, detail: null }], once } as const
    }),
})

const subject = (mistakes: Mistakes = {}): GatewaySuite.Options => ({
  make: (baseUrl) => Effect.succeed(adapter(baseUrl, mistakes)),
  accepted: {
    title: "a message with an id",
    answer: { status: 200, body: JSON.stringify({ id: "small-1" }) },
    expected: { _tag: "Accepted", gatewayId: "small-1" },
  },
  answers: [],
  undocumented: ["recipient", "content", "sender", "account", "throttled", "unknown"],
  refusal: (refused) => ({ status: 200, body: JSON.stringify({ refused }) }),
  secrets: [key],
  callbacks: {
    statuses: ["accepted", "delivered", "undelivered", "failed"],
    report: ({ gatewayId, received, status }) =>
      Effect.sync(() => {
        const [, token] = /"token":"([^"]+)"/.exec(received.body) ?? []
        const body = JSON.stringify({ id: gatewayId, number: 1, token, status })
        const address = mistakes.believesAnyAddress === true ? url : `${url}?message=acme.1`
        return {
          method: "POST",
          url: new URL(`${url}?message=acme.1`),
          headers: { "x-signature": tagOf(address, body) },
          body: new TextEncoder().encode(body),
        }
      }),
    signatureHeader: "x-signature",
    signsAddress: true,
  },
})

/** The titles of the tests that an adapter does not pass. */
const failedBy = (mistakes: Mistakes) => failedTests(overHttp(subject(mistakes)))

describe("GatewaySuite", () => {
  it.effect("accepts a correct adapter", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failedBy({}), [])
    }),
  )

  it.effect.each(Object.entries(found))("finds an adapter that %s", ([mistake, title]) =>
    Effect.gen(function* () {
      const failed = yield* failedBy({ [mistake]: true })
      assert.isTrue(
        failed.some((one) => title.test(one)),
        failed.join("\n"),
      )
    }),
  )

  it("requires a play for every outcome, unless the vendor documents none", () => {
    const classes = ["recipient", "content", "sender", "account"] as const
    const { accepted, answers, undocumented } = subject()
    const ofClass = (reason: (typeof classes)[number]): GatewaySuite.Row => ({
      title: reason,
      answer: accepted.answer,
      expected: { _tag: "Rejected", reason },
    })
    const rows = classes.map(ofClass)
    assert.deepStrictEqual(coverageProblems({ accepted, answers, undocumented }), [])
    assert.deepStrictEqual(coverageProblems({ accepted, answers: rows }), [
      "no answer means throttled: give one, or call it undocumented",
      "no answer means unknown: give one, or call it undocumented",
    ])
    assert.deepStrictEqual(
      coverageProblems({ accepted: ofClass("account"), answers: rows, undocumented: classes }),
      [
        "the answer of a message that is taken is not taken",
        ...classes.map((one) => `an answer means ${one}, which is said to be undocumented`),
        "no answer means throttled: give one, or call it undocumented",
        "no answer means unknown: give one, or call it undocumented",
      ],
    )
    assert.throws(
      () => GatewaySuite.suite("small", { ...subject(), undocumented: [] }),
      /^Gateway small: no answer means recipient/,
    )
  })

  it("plays a vendor whose certificate is valid except for its issuer", () => {
    const { cert } = selfSigned()
    const read = new X509Certificate(cert)
    assert.strictEqual(read.subject, "CN=localhost")
    assert.strictEqual(read.issuer, read.subject)
    assert.isTrue(read.verify(read.publicKey))
  })
})
