/**
 * The SMPP adapter with an independent message centre.
 */
import { assert } from "@effect/vitest"
import type * as Smpp from "@countersign/gateways/Smpp"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { beforeAll, type TestContext } from "vitest"
import { within } from "../../../../packages/testing/src/internal/within.ts"
import {
  fetchMillis,
  type Missing,
  type Programs,
  programsOf,
} from "../../../gateways/smpp/debian.ts"
import {
  bangla,
  gatewayOn,
  messageOf,
  ofMessage,
  reportsOf,
  whileTimePasses,
} from "../../../gateways/smpp/support.ts"
import { test } from "../../../support/testsOver.ts"

let programs: Programs | Missing = { missing: "not looked for yet" }

beforeAll(async () => {
  programs = await programsOf("libnet-smpp-perl")
}, 2 * fetchMillis)

interface Centre {
  readonly port: number
  /** The next line that it prints. */
  readonly line: Effect.Effect<string>
}

const start = Effect.fnUntraced(function* (
  { env }: Programs,
  args: ReadonlyArray<string>,
): Effect.fn.Return<Centre, never, Scope.Scope> {
  const lines = yield* Queue.unbounded<string>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("perl", [join(import.meta.dirname, "netSmpp.pl"), ...args], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "inherit"],
      }),
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL")),
  )
  // Its output can still be read; a wait for more output fails.
  const end = (why: unknown) =>
    Queue.failCauseUnsafe(lines, Cause.die(new Error(`The centre has ended: ${String(why)}`)))
  child.once("error", end)
  child.once("close", (code, signal) => end(signal ?? code))
  createInterface(child.stdout).on("line", (line) => Queue.offerUnsafe(lines, line))
  const line = within("a line of the centre", Queue.take(lines))
  const first = yield* line
  return { port: Number(first.slice("port ".length)), line }
})

/** A centre for one test, which is skipped where there can be none. */
const onCentre = Effect.fnUntraced(function* (
  context: TestContext,
  args: ReadonlyArray<string> = [],
) {
  if ("missing" in programs) return context.skip(programs.missing)
  return yield* start(programs, args)
})

const to = (kind: string) => PhoneNumber.fromE164(`+8801712345${kind}`)

test.effect("binds, requests receipts, and ends with an unbind", function* (context) {
  const centre = yield* onCentre(context)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const gateway = yield* gatewayOn(centre.port)
      assert.deepStrictEqual(yield* gateway.send(messageOf()), {
        _tag: "Accepted",
        gatewayId: "1A2B",
        segments: 1,
      })
      assert.strictEqual(yield* centre.line, "bind acme secret")
      const hex = Buffer.from("Your code is 482913", "latin1").toString("hex")
      assert.strictEqual(yield* centre.line, `submit ACME 8801712345678 0 0 ${hex}`)
      assert.strictEqual(yield* centre.line, "answered 0")
    }),
  )
  assert.strictEqual(yield* centre.line, "unbind")
})

test.effect.each<readonly [string, string, unknown]>([
  [
    "101",
    "refuses",
    {
      _tag: "Rejected",
      reason: "recipient",
      message: "ESME_RINVDSTADR (0x0000000b)",
      vendorCode: "0x0000000b",
    },
  ],
  [
    "102",
    "throttles",
    { _tag: "Throttled", message: "ESME_RTHROTTLED (0x00000058)", vendorCode: "0x00000058" },
  ],
  ["104", "hangs up on", { _tag: "Unknown", message: "The connection ended before the answer" }],
])(
  "reports the outcome of a message to …%s, which the centre %s",
  function* ([kind, _, outcome], context) {
    const centre = yield* onCentre(context)
    const gateway = yield* gatewayOn(centre.port)
    assert.deepStrictEqual(yield* gateway.send(messageOf({ phoneNumber: to(kind) })), outcome)
  },
)

test.effect("reconnects after the centre hung up", function* (context) {
  const centre = yield* onCentre(context)
  const gateway = yield* gatewayOn(centre.port, { retryDelay: "10 milliseconds" })
  yield* gateway.send(messageOf({ phoneNumber: to("104") }))
  assert.match(yield* centre.line, /^bind/)
  assert.match(yield* centre.line, /^submit/)
  assert.match(yield* whileTimePasses(centre.line), /^bind/)
})

test.effect("binds twice if transceivers are refused, and receives a receipt", function* (context) {
  const centre = yield* onCentre(context, ["pair"])
  yield* Effect.scoped(
    Effect.gen(function* () {
      const refused = yield* gatewayOn(centre.port)
      assert.deepStrictEqual(yield* refused.send(messageOf()), {
        _tag: "Rejected",
        reason: "account",
        message: "The gateway refused the bind: ESME_RINVBNDSTS (0x00000004)",
      })
      assert.strictEqual(yield* centre.line, "bind acme secret")
    }),
  )
  yield* Effect.scoped(
    Effect.gen(function* () {
      const gateway = yield* gatewayOn(centre.port, {
        bind: "pair",
        ids: { answers: "hexadecimal", receipts: "hexadecimal" },
      })
      const reports = yield* Effect.forkChild(reportsOf(gateway, 1))
      assert.strictEqual(
        (yield* gateway.send(messageOf({ phoneNumber: to("103") })))._tag,
        "Accepted",
      )
      assert.strictEqual(yield* centre.line, "bind acme secret receiver")
      assert.strictEqual(yield* centre.line, "bind acme secret transmitter")
      assert.match(yield* centre.line, /^submit/)
      assert.deepStrictEqual(yield* Fiber.join(reports), [
        { of: ofMessage(1), status: "undelivered", detail: "UNDELIV" },
      ])
      assert.strictEqual(yield* centre.line, "answered 0")
    }),
  )
  assert.strictEqual(yield* centre.line, "unbind")
  assert.strictEqual(yield* centre.line, "unbind")
})

test.effect("is refused with a wrong password", function* (context) {
  const centre = yield* onCentre(context)
  const gateway = yield* gatewayOn(centre.port, { password: Redacted.make("wrong") })
  const outcome = yield* gateway.send(messageOf())
  assert.deepInclude(outcome, { _tag: "Rejected", reason: "account" })
})

const inFields = { answers: "text", receipts: "text" } as const
const inText = { answers: "hexadecimal", receipts: "decimal" } as const

test.effect.each<readonly [string, ReadonlyArray<string>, Smpp.Options["ids"], string]>([
  ["in fields", [], { ...inFields, answers: "hexadecimal", receipts: "hexadecimal" }, "6699"],
  ["as text, in another radix", ["hex"], inText, "6699"],
])("receives receipts that are sent %s", function* ([_, args, ids, gatewayId], context) {
  const centre = yield* onCentre(context, args)
  const gateway = yield* gatewayOn(centre.port, { ids })
  const reports = yield* Effect.forkChild(reportsOf(gateway, 2))
  assert.deepInclude(yield* gateway.send(messageOf({ sequence: 1 })), { gatewayId })
  yield* gateway.send(messageOf({ sequence: 2, phoneNumber: to("103") }))
  assert.deepStrictEqual(yield* Fiber.join(reports), [
    { of: ofMessage(1), status: "delivered", detail: "DELIVRD" },
    { of: ofMessage(2), status: "undelivered", detail: "UNDELIV" },
  ])
})

test.effect(
  "sends Bangla in parts that fit together, and reports on them as one message",
  function* (context) {
    const centre = yield* onCentre(context, ["hex"])
    const gateway = yield* gatewayOn(centre.port, { ids: inText })
    const text = bangla.repeat(3)
    const outcome = yield* gateway.send(messageOf({ text }))
    const count = Math.ceil(text.length / 67)
    assert.deepStrictEqual(outcome, { _tag: "Accepted", gatewayId: "6699", segments: count })
    assert.deepStrictEqual(yield* reportsOf(gateway, 1), [
      { of: ofMessage(1), status: "delivered", detail: "DELIVRD" },
    ])
    const parts: Array<string> = []
    while (parts.length < count) {
      const [word, , , esmClass, coding, hex = ""] = (yield* centre.line).split(" ")
      if (word !== "submit") continue
      assert.deepStrictEqual([esmClass, coding], ["64", "8"])
      const bytes = Buffer.from(hex, "hex")
      assert.strictEqual(bytes[4], count)
      parts[(bytes[5] ?? 0) - 1] = bytes.subarray(6).swap16().toString("utf16le")
    }
    assert.strictEqual(parts.join(""), text)
  },
)

test.effect("probes the centre, and gets an answer", function* (context) {
  const centre = yield* onCentre(context)
  const gateway = yield* gatewayOn(centre.port, { answerTimeout: "1 day" })
  yield* gateway.send(messageOf())
  for (let line = 0; line < 3; line++) yield* centre.line
  assert.strictEqual(yield* whileTimePasses(centre.line, 1_000), "enquire")
})
