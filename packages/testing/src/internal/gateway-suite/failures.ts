import { assert } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as TestEngine from "../../TestEngine.ts"
import { message, type Options, type VendorAnswer } from "./subject.ts"
import { engineOver, sendOver, stage, stateOf, type Test } from "./support.ts"
import { type Conduct, nowhere } from "./vendor.ts"

/** More than any adapter reads. */
const tooMuch = " ".repeat(1_048_576)

const json = { "content-type": "application/json" }
const html = { "content-type": "text/html" }

/** Answers that prove nothing, under the status of success. */
const unreadable = ({
  body,
  status,
}: VendorAnswer): ReadonlyArray<readonly [string, VendorAnswer]> => [
  ["truncated JSON", { status, headers: json, body: body.slice(0, Math.ceil(body.length / 2)) }],
  ["garbage", { status, headers: json, body: "\u0000\u0007}{ no answer" }],
  ["an empty body", { status, headers: json, body: "" }],
  ["null", { status, headers: json, body: "null" }],
  ["an empty object", { status, headers: json, body: "{}" }],
  ["a list", { status, headers: json, body: "[]" }],
  ["HTML", { status, headers: html, body: "<html><body>Welcome</body></html>" }],
  ["an answer that is too long", { status, headers: json, body: tooMuch + body }],
]

/** Statuses that say nothing about a message when their body says nothing. */
const bare = [204, 301, 302, 307, 308, 500, 502, 503, 504]

/** What is certain, and what is not, when something breaks. */
export const failuresSection = (test: Test, options: Options): void => {
  const { accepted } = options
  const sample = message({ ...options.message, ...accepted.message })

  const sends = (
    title: string,
    conduct: Conduct,
    expected: string,
    scheme: "http" | "https" = "http",
  ): void =>
    test(title, (tell) =>
      Effect.gen(function* () {
        const { adapter, vendor } = yield* stage(options, conduct, scheme)
        const outcome = yield* adapter.gateway.send(sample)
        tell(outcome)
        assert.strictEqual(outcome._tag, expected)
        assert.strictEqual(vendor.requests.length, scheme === "http" ? 1 : 0)
      }),
    )

  test("knows that nothing was sent when the connection is refused", (tell) =>
    Effect.gen(function* () {
      const adapter = yield* options.make(yield* nowhere)
      const outcome = yield* adapter.gateway.send(sample)
      tell(outcome)
      assert.strictEqual(outcome._tag, "NotSent")
    }))

  sends(
    "knows that nothing was sent when nobody vouches for the vendor's certificate",
    { _tag: "Answer", ...accepted.answer },
    "NotSent",
    "https",
  )

  sends("takes a reset before the answer as Unknown", { _tag: "Reset" }, "Unknown")
  sends(
    "takes an answer that breaks off as Unknown",
    { _tag: "Break", ...accepted.answer },
    "Unknown",
  )

  for (const [title, answer] of unreadable(accepted.answer)) {
    sends(
      `takes ${title} under the status of success as Unknown`,
      { _tag: "Answer", ...answer },
      "Unknown",
    )
  }

  for (const status of bare) {
    if (options.documentedFailures?.includes(status) === true) continue
    const headers = { ...html, ...(status < 400 ? { location: "/elsewhere" } : undefined) }
    const body = status === 204 ? "" : "<html><body>Elsewhere</body></html>"
    sends(
      `takes a bare ${status} as Unknown, and asks once`,
      { _tag: "Answer", status, headers, body },
      "Unknown",
    )
  }

  const waits: ReadonlyArray<readonly [string, Conduct]> = [
    ["is silent", { _tag: "Silence" }],
    ["never ends its answer", { _tag: "Endless", ...accepted.answer }],
  ]
  for (const [title, conduct] of waits) {
    test(`lets go of its connection when it is interrupted while the vendor ${title}`, () =>
      Effect.gen(function* () {
        const { adapter, vendor } = yield* stage(options, conduct)
        const sending = yield* Effect.forkChild(adapter.gateway.send(sample))
        yield* vendor.arrival
        yield* Fiber.interrupt(sending)
        yield* vendor.abandoned
      }))

    test(`leaves an unknown outcome at its time-out when the vendor ${title}`, (tell) =>
      Effect.gen(function* () {
        const { adapter, vendor } = yield* stage(options, conduct)
        yield* Effect.gen(function* () {
          const { organization } = yield* TestEngine.open()
          const sending = yield* Effect.forkChild(sendOver(organization, sample))
          yield* vendor.arrival
          yield* TestClock.adjust(Duration.millis(adapter.gateway.capabilities.timeoutMillis))
          tell(yield* Effect.flip(Fiber.join(sending)))
          assert.strictEqual((yield* stateOf(organization)).log, "unknown")
          yield* vendor.abandoned
        }).pipe(Effect.provide(engineOver(adapter.gateway)))
      }))
  }
}
