/**
 * The plan for an adapter to a vendor with an HTTP API.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deadHostSection } from "./deadHost.ts"
import type { Needs, Plan, Play, Stage } from "./plan.ts"
import { staged } from "./httpStage.ts"
import { played } from "./reports.ts"
import { signaturesSection } from "./signatures.ts"
import { straysSection } from "./strays.ts"
import {
  type About,
  type Adapter,
  adapterTo,
  type Expected,
  message,
  type Options,
  type ReceivedRequest,
  requestMade,
  type VendorAnswer,
} from "./subject.ts"
import { type Conduct, nowhere } from "./vendor.ts"

/** Reads the vendor's request. Fails if the adapter rejects it. */
const read = Effect.fnUntraced(function* (
  { callback }: Adapter,
  { accepted, callbacks }: Options,
  status: About["status"],
  sequence: number,
  received: ReceivedRequest,
) {
  if (callback === undefined || callbacks === undefined) return []
  const gatewayId = accepted.expected.gatewayId ?? ""
  const made = callbacks.report({ status, gatewayId, received, sequence })
  const outcome = yield* callback(yield* requestMade(made))
  assert.strictEqual(outcome._tag, "Reports", JSON.stringify(outcome))
  return outcome._tag === "Reports" ? outcome.reports : []
})

const stage = (
  options: Options,
  conduct: Conduct,
  scheme: "http" | "https" = "http",
): Effect.Effect<Stage, never, Needs> =>
  Effect.map(staged(options, conduct, scheme), ({ adapter, vendor }) => ({
    adapter,
    count: () => vendor.requests.length,
    nextMessage: Effect.map(vendor.nextRequest, ({ body }) => decodeURIComponent(body)),
    sendReports: (statuses) =>
      Effect.map(
        Effect.forEach(statuses, (status, sequence) => {
          const received = vendor.requests.at(-1)
          return received === undefined
            ? Effect.die(new Error("The vendor was asked nothing"))
            : read(adapter, options, status, sequence, received)
        }),
        (reports) => reports.flat(),
      ),
    released: vendor.abandoned,
  }))

/** An adapter whose vendor does not listen. */
const stageNowhere = (options: Options): Effect.Effect<Stage, never, Needs> =>
  Effect.gen(function* () {
    return {
      adapter: yield* adapterTo(options, yield* nowhere),
      count: () => 0,
      nextMessage: Effect.never,
      sendReports: () => Effect.succeed([]),
      released: Effect.void,
    }
  })

/** Longer than the longest answer that adapters read. */
const tooMuch = " ".repeat(1_048_576)

const json = { "content-type": "application/json" }
const html = { "content-type": "text/html" }

/** Success answers without a usable body. */
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

/** Statuses without a meaning if their body has none. */
const bare = [204, 301, 302, 307, 308, 500, 502, 503, 504]

/** An HTML page with such a status. */
const bareAnswer = (status: number): VendorAnswer => ({
  status,
  headers: { ...html, ...(status < 400 ? { location: "/elsewhere" } : undefined) },
  body: status === 204 ? "" : "<html><body>Elsewhere</body></html>",
})

/** Makes the plan from the options of an adapter's test. */
export const overHttp = (options: Options): Plan => {
  const { accepted, callbacks } = options
  const sample = message({ ...options.message, ...accepted.message })
  const conducted = (conduct: Conduct) => stage(options, conduct)

  const play = (title: string, conduct: Conduct, expected: Expected["_tag"]): Play => ({
    title,
    message: sample,
    stage: conducted(conduct),
    expected: [{ _tag: expected }],
    reached: 1,
  })
  const answer = ({ body, headers, status }: VendorAnswer): Conduct => ({
    _tag: "Answer",
    body,
    headers,
    status,
  })
  const row = (one: Options["accepted"]): Play => ({
    ...play(one.title, answer(one.answer), "Unknown"),
    message: message({ ...options.message, ...one.message }),
    expected: [one.expected],
  })

  /** A play in which the vendor would accept the message, and does not get it. */
  const unsent = (when: string, stage: Play["stage"]): Play => ({
    ...play(`knows that nothing was sent when ${when}`, { _tag: "Silence" }, "NotSent"),
    stage,
    reached: 0,
  })

  /** The answer with the vendor's id is lost, so another value has to identify the message. */
  const lost = (test: Parameters<Plan["sections"][number][1]>[0]): void =>
    test("finds the message of a report even if the answer to the send was lost", function* (tell) {
      const { gateway } = (yield* conducted({ _tag: "Silence" })).adapter
      const stage = conducted({ _tag: "Reset" })
      const state = yield* played(tell, ["delivered"], { message: sample, stage })
      // Only a vendor that returns references can name a message whose id is unknown.
      const { references } = gateway.capabilities
      assert.include(references === true ? ["delivered"] : ["delivered", "unknown"], state.log)
    })

  return {
    secrets: options.secrets,
    message: message(options.message),
    accepted: row(accepted),
    answers: options.answers.map(row),
    refusal: (words) => play("a refusal", answer(options.refusal(words)), "Rejected"),
    failures: [
      unsent("the connection is refused", stageNowhere(options)),
      unsent(
        "no authority vouches for the vendor's certificate",
        stage(options, answer(accepted.answer), "https"),
      ),
      play("takes a reset before the answer as Unknown", { _tag: "Reset" }, "Unknown"),
      play(
        "takes an answer that breaks off as Unknown",
        { ...accepted.answer, _tag: "Break" },
        "Unknown",
      ),
      ...unreadable(accepted.answer).map(([title, one]) =>
        play(`takes ${title} under the status of success as Unknown`, answer(one), "Unknown"),
      ),
      ...bare
        .filter((status) => options.documentedFailures?.includes(status) !== true)
        .map((status) =>
          play(
            `takes a bare ${status} as Unknown, and asks once`,
            answer(bareAnswer(status)),
            "Unknown",
          ),
        ),
    ],
    waits: [
      play("is silent", { _tag: "Silence" }, "Unknown"),
      play("never ends its answer", { ...accepted.answer, _tag: "Endless" }, "Unknown"),
    ],
    reports:
      callbacks === undefined
        ? undefined
        : { statuses: callbacks.statuses, forms: [{ title: "", play: row(accepted) }] },
    sections: [
      ["a host that drops its connections", (test) => deadHostSection(test, options)],
      [
        "the reader of reports",
        (test) => {
          test("exists if, and only if, the vendor makes requests", function* () {
            const { adapter } = yield* conducted({ _tag: "Silence" })
            assert.strictEqual(adapter.callback !== undefined, callbacks !== undefined)
          })
          if (callbacks !== undefined) lost(test)
        },
      ],
      // A vendor without reports has no signatures.
      ...(callbacks === undefined
        ? []
        : ([
            ["signatures", (test) => signaturesSection(test, options, callbacks)],
            [
              "signed requests that change nothing",
              (test) => straysSection(test, options, callbacks),
            ],
          ] satisfies Plan["sections"])),
    ],
  }
}
