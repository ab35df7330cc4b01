/**
 * The Kannel adapter and a real Kannel, which hands everything on to a message centre of ours: so Kannel
 * is the other side of our HTTP, and of our SMPP as well.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { assert } from "@effect/vitest"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type { Adapter, CallbackOutcome } from "@countersign/gateways/Adapter"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as GatewayKannel from "@countersign/gateways/Kannel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { beforeAll, type TestContext } from "vitest"
import { serveFetch } from "../../../support/fetchServer.ts"
import { within } from "../../../../packages/testing/src/internal/within.ts"
import {
  fetchMillis,
  type Missing,
  type Programs,
  programsOf,
} from "../../../gateways/smpp/debian.ts"
import { type Smsc, startSmsc } from "@countersign/testing/Smsc"
import { bangla, english, messageOf, ofMessage } from "../../../gateways/smpp/support.ts"
import { type Kannel, password, startKannel, username, type Way } from "./kannel.ts"
import { testsOver } from "../../../support/testsOver.ts"

let programs: Programs | Missing = { missing: "not looked for yet" }

beforeAll(async () => {
  programs = await programsOf("kannel")
}, 2 * fetchMillis)

const platform = testsOver(GatewaySuite.platform)

interface Rig {
  readonly smsc: Smsc
  readonly kannel: Kannel
  readonly send: Adapter["gateway"]["send"]
  /** The next report of our message, without its evidence. */
  readonly report: Effect.Effect<DeliveryReport>
  /** The evidence of the reports so far. */
  readonly evidence: Array<DeliveryReport["evidence"]>
  /** Paths and queries that Kannel has asked for. */
  readonly requests: Array<string>
  /** Answers the next requests with 503. */
  readonly fail: (count: number) => void
}

/** The host: hands what comes in to the adapter, as `Callbacks` does. */
const startHost = Effect.fnUntraced(function* (
  callback: () => Adapter["callback"],
  outcomes: Queue.Queue<CallbackOutcome>,
  requests: Array<string>,
) {
  let failing = 0
  const origin = yield* serveFetch(async (request) => {
    const url = new URL(request.url)
    requests.push(`${url.pathname}${url.search}`)
    if (failing > 0) {
      failing -= 1
      return new Response(null, { status: 503 })
    }
    const read = callback()?.({ method: request.method, url, headers: {}, body: new Uint8Array() })
    const exit = await Effect.runPromiseExit(read ?? Effect.die("no callback"))
    if (Exit.isSuccess(exit)) Queue.offerUnsafe(outcomes, exit.value)
    else Queue.failCauseUnsafe(outcomes, exit.cause)
    return new Response(null, { status: Exit.isSuccess(exit) ? 200 : 500 })
  })
  const fail = (count: number) => {
    failing = count
  }
  return { origin, fail }
})

const start = Effect.fnUntraced(function* (context: TestContext, way?: Way) {
  if ("missing" in programs) return context.skip(programs.missing)
  const outcomes = yield* Queue.unbounded<CallbackOutcome>()
  const requests: Array<string> = []
  const collected: Array<DeliveryReport["evidence"]> = []
  const adapters: Array<Adapter> = []
  const host = yield* startHost(() => adapters[0]?.callback, outcomes, requests)
  const smsc = yield* startSmsc()
  const kannel = yield* startKannel(programs, smsc.port, way)
  yield* smsc.next("bound")
  if (way === "pair") yield* smsc.next("bound")
  const made = yield* GatewayKannel.make({
    url: kannel.url,
    username,
    password: Redacted.make(password),
    callbackUrl: `${host.origin}/callbacks/kannel%20one`,
    callbackSecret: Redacted.make("the secret of the host"),
  })
  adapters.push(made)
  const report = Effect.gen(function* () {
    const outcome = yield* within("a report of Kannel's", Queue.take(outcomes)).pipe(
      Effect.tapCause(() => Effect.sync(() => console.error(kannel.logs()))),
    )
    if (outcome._tag !== "Reports") return assert.fail(JSON.stringify(outcome))
    const { evidence, ...first } = outcome.reports[0] ?? assert.fail("no report")
    collected.push(evidence)
    return first
  })
  const { send } = made.gateway
  const rig: Rig = { smsc, kannel, send, report, evidence: collected, requests, fail: host.fail }
  return rig
})

const message = (text: string, change: Partial<Omit<GatewayMessage, "text" | "ref">> = {}) =>
  messageOf({ text, ...change })

/** Kannel gives the end of the token back as well. */
const ofTheMessage = { ...ofMessage(1), token: messageOf().token.slice(-12) }

const accepted = { of: ofTheMessage, status: "accepted", detail: null } as const

/** The last of the reports, of which Kannel may send some in any order. */
const final = (report: Effect.Effect<DeliveryReport>): Effect.Effect<DeliveryReport> =>
  Effect.flatMap(report, (one) => (one.status === "accepted" ? final(report) : Effect.succeed(one)))

platform.effect("a message is accepted, and reported delivered", function* (context) {
  const { requests, evidence, report, send, smsc } = yield* start(context)
  smsc.onSubmit = () => ({ id: "a1", receipts: [{ id: "a1", state: "DELIVRD" }] })
  assert.deepStrictEqual(yield* send(message("Hello")), {
    _tag: "Accepted",
    gatewayId: messageOf().token,
    segments: 1,
  })
  const reports = [yield* report, yield* report].toSorted((one, other) =>
    one.status.localeCompare(other.status),
  )
  assert.deepStrictEqual(reports, [
    accepted,
    { of: ofTheMessage, status: "delivered", detail: "DELIVRD" },
  ])
  const receipt = evidence.find((fields) => fields?.["stat"] === "DELIVRD")
  assert.deepInclude(receipt, { id: "a1", type: "1", err: "000" })
  assert.match(
    requests[0] ?? "",
    /^\/callbacks\/kannel%20one\/acme\.1\.\w{12}\/[\w-]{43}\?type=\d+&answer=/,
  )
  assert.deepInclude(smsc.received[0]?.pdu.source, { ton: 5, npi: 0, address: "ACME" })
  assert.strictEqual(smsc.received[0]?.pdu.destination.address, "8801712345678")
})

platform.effect("a Kannel with two binds receives reports on its receiver", function* (context) {
  const { report, send, smsc } = yield* start(context, "pair")
  assert.sameMembers(
    smsc.binds.map(({ command }) => command),
    ["bind_receiver", "bind_transmitter"],
  )
  smsc.onSubmit = () => ({ id: "a1" })
  assert.strictEqual((yield* send(message("Hello")))._tag, "Accepted")
  // Two connections have no order between them: Kannel drops a receipt that overtakes the answer.
  assert.strictEqual((yield* report).status, "accepted")
  yield* smsc.report({ id: "a1", state: "DELIVRD" })
  assert.strictEqual((yield* final(report)).status, "delivered")
})

platform.effect.each<readonly [string, DeliveryReport["status"], string]>([
  ["UNDELIV", "undelivered", "UNDELIV, error 011"],
  ["EXPIRED", "undelivered", "EXPIRED, error 011"],
  ["REJECTD", "undelivered", "REJECTD, error 011"],
  ["UNKNOWN", "undelivered", "UNKNOWN, error 011"],
])(
  "a message with the centre's state %s is reported %s",
  function* ([state, status, detail], context) {
    const { report, send, smsc } = yield* start(context)
    smsc.onSubmit = () => ({ id: "7", receipts: [{ id: "7", state, error: "011" }] })
    assert.strictEqual((yield* send(message("Hello")))._tag, "Accepted")
    assert.deepStrictEqual(yield* final(report), { of: ofTheMessage, status, detail })
  },
)

platform.effect(
  "a message that the centre refuses is reported rejected, with the responsible party",
  function* (context) {
    const { report, send, smsc } = yield* start(context)
    smsc.onSubmit = () => ({ status: 0x0b })
    assert.strictEqual((yield* send(message("Hello")))._tag, "Accepted")
    assert.deepStrictEqual(yield* report, {
      of: ofTheMessage,
      status: "rejected",
      detail: "0x0000000b Invalid Destination Address",
      vendorCode: "0x0000000b",
      reason: "recipient",
    })
  },
)

platform.effect(
  "a message that the centre throttles waits in Kannel, and arrives",
  function* (context) {
    const { report, send, smsc } = yield* start(context)
    smsc.onSubmit = (_, count) =>
      count === 1 ? { status: 0x58 } : { id: "9", receipts: [{ id: "9", state: "DELIVRD" }] }
    assert.strictEqual((yield* send(message("Hello")))._tag, "Accepted")
    assert.strictEqual((yield* final(report)).status, "delivered")
    assert.strictEqual(smsc.received.length, 2)
  },
)

platform.effect(
  "a message during an outage of the centre is queued, and arrives",
  function* (context) {
    const { report, send, smsc } = yield* start(context)
    smsc.onSubmit = () => ({ id: "9", receipts: [{ id: "9", state: "DELIVRD" }] })
    smsc.onBind = () => 0x0d
    yield* smsc.hangUp
    assert.strictEqual((yield* send(message("Hello")))._tag, "Accepted")
    assert.deepStrictEqual(smsc.received, [])
    smsc.onBind = () => 0
    assert.strictEqual((yield* final(report)).status, "delivered")
  },
)

platform.effect("a report that the host cannot accept is repeated", function* (context) {
  const { requests, fail, report, send, smsc } = yield* start(context)
  fail(2)
  smsc.onSubmit = () => ({ id: "9", receipts: [{ id: "9", state: "DELIVRD" }] })
  assert.strictEqual((yield* send(message("Hello")))._tag, "Accepted")
  assert.strictEqual((yield* final(report)).status, "delivered")
  assert.isAtLeast(requests.length, 3)
})

platform.effect("the URL of a report contains no part of a code", function* (context) {
  const { requests, report, send, smsc } = yield* start(context)
  smsc.onSubmit = ({ text }) => ({
    id: "9",
    receipts: [{ id: "9", state: "UNDELIV", error: "001", text }],
  })
  const outcome = yield* send(message("482913 is your code", { purpose: "verification" }))
  assert.strictEqual(outcome._tag, "Accepted")
  assert.deepStrictEqual(yield* final(report), {
    of: ofTheMessage,
    status: "undelivered",
    detail: null,
  })
  for (const path of requests) assert.notInclude(path, "482913")
})

platform.effect.each<readonly [string, number, string]>([
  ["every letter that GSM-7 has", 1, "[a] {b} ~ € | \\ ^ @£$¥ñà\nÄÖÜ äöü ΔΦΓ"],
  ["English", 2, english.repeat(3)],
  ["Bangla", 1, bangla.slice(0, 60)],
  ["Bangla", 4, bangla.repeat(4).trimEnd()],
  ["a letter of two units", 1, "Hello 🙂"],
])("%s in %i parts arrives unchanged", function* ([_, segments, text], context) {
  const { report, send, smsc } = yield* start(context)
  // Only the first part asks for a receipt.
  smsc.onSubmit = ({ pdu }, count) => ({
    id: String(count),
    receipts: pdu.registeredDelivery === 0 ? [] : [{ id: String(count), state: "DELIVRD" }],
  })
  assert.deepInclude(yield* send(message(text)), { _tag: "Accepted", segments })
  assert.strictEqual((yield* final(report)).status, "delivered")
  while (smsc.received.length < segments) yield* smsc.next("submit_sm")
  const parts = smsc.received.toSorted(
    (one, other) => (one.header[5] ?? 0) - (other.header[5] ?? 0),
  )
  assert.strictEqual(parts.map((one) => one.text).join(""), text)
  assert.strictEqual(parts.length, segments)
})

platform.effect("a refusal by Kannel names the responsible party", function* (context) {
  const { kannel, send, smsc } = yield* start(context)
  assert.deepInclude(yield* send(message("Hello", { sender: "" })), {
    _tag: "Rejected",
    reason: "sender",
    message: "Sender missing and no global set, rejected",
  })
  assert.deepInclude(yield* send(message("Hello", { sender: "বাংলা" })), {
    _tag: "Rejected",
    reason: "sender",
  })
  const stranger = yield* GatewayKannel.make({
    url: kannel.url,
    username,
    password: Redacted.make("wrong"),
  })
  assert.strictEqual(stranger.gateway.capabilities.reports, "none")
  assert.deepInclude(yield* stranger.gateway.send(message("Hello")), {
    _tag: "Rejected",
    reason: "account",
    message: "Authorization failed for sendsms",
  })
  assert.deepStrictEqual(smsc.received, [])
})
