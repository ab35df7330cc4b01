import { exitCodes } from "@countersign/cli/ExitCode"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { MessageStatus } from "@countersign/core/domain/messages/MessageStatus"
import { Store } from "@countersign/core/ports/Store"
import { Audit } from "@countersign/core/services/Audit"
import * as Fallback from "@countersign/core/engine/SmsFallback"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { serveFetch } from "../../../test/support/fetchServer.ts"
import { decodeJson, runCli, runJson } from "./support/runCli.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const acme = OrganizationId("acme")
const number = "+8801712345678"
const secret = "a-secret-for-tests-long-enough-and-known-to-all"
const env = { COUNTERSIGN_ORGANIZATION: "acme", COUNTERSIGN_SECRET: secret }
const codeSecrets = [Redacted.make(secret)] as const

/** A gateway that accepts every message, and never tells what became of it. */
const silent: SimulatedGateway.Options = {
  name: "alpha-sms",
  capabilities: { lookup: true },
  behave: () => ({ _tag: "NeverReport" }),
}

const services = TestEngine.layer({ codeSecrets, gateway: silent })

const engine = testsOver(services)

/** Tests with a gateway that delivers. */
const delivering = testsOver(TestEngine.layer({ codeSecrets }))

const sent = Effect.gen(function* () {
  yield* TestEngine.open()
  const messages = yield* Messages
  return yield* messages.send({ organization: acme, phoneNumber: number, text: "Welcome" })
})

const statusOf = Effect.fnUntraced(function* (
  sequence: number,
): Effect.fn.Return<MessageStatus | undefined, unknown, Store> {
  const store = yield* Store
  return (yield* store.message({ organization: acme, sequence }))?.message?.status
})

describe("settle", () => {
  engine.effect("says which gateways it needs, and which secret", function* () {
    yield* sent
    for (const args of [["settle"], ["settle", "--without-lookup", "--gateway", "robi"]]) {
      const unnamed = yield* runCli(args, { env })
      assert.strictEqual(unnamed.exitCode, exitCodes.usage)
      assert.include(unnamed.stderr, "--without-lookup")
    }
    const bare = yield* runCli(["settle", "--without-lookup"])
    assert.strictEqual(bare.exitCode, exitCodes.usage)
    assert.include(bare.stderr, "COUNTERSIGN_SECRET is not set")
    const unset = yield* runCli(["settle", "--gateway", "alpha-sms"], { env })
    assert.strictEqual(unset.exitCode, exitCodes.usage)
    assert.include(unset.stderr, "ALPHA_SMS_API_KEY")
  })

  engine.effect("closes messages whose deadline is over, and no others", function* () {
    yield* sent
    const settle = runJson(["settle", "--without-lookup"], { env })
    assert.deepStrictEqual(yield* settle, { examined: 0, lookedUp: 0, left: 0 })
    assert.strictEqual(yield* statusOf(1), "accepted")
    yield* TestClock.adjust("1 day")
    assert.deepStrictEqual(yield* settle, { examined: 1, lookedUp: 0, left: 0 })
    assert.strictEqual(yield* statusOf(1), "unknown")
  })

  engine.effect("asks the gateway that has taken a message for its outcome", function* () {
    yield* sent
    yield* TestClock.adjust("1 day")
    const baseUrl = yield* serveFetch(async () =>
      Response.json({ error: 0, data: { recipients: [{ status: "Delivered" }] } }),
    )
    const settled = yield* runJson(["settle", "--gateway", "alpha-sms", "--gateway", "robi"], {
      env: {
        ...env,
        ALPHA_SMS_API_KEY: "secret",
        ALPHA_SMS_BASE_URL: baseUrl,
        ROBI_USERNAME: "acme",
        ROBI_PASSWORD: "secret",
      },
    })
    assert.deepStrictEqual(settled, { examined: 1, lookedUp: 1, left: 0 })
    assert.strictEqual(yield* statusOf(1), "delivered")
  })

  testsOver(Layer.provide(services, Fallback.layer())).effect(
    "leaves codes to the host that wait to be followed by an SMS, until their deadline",
    function* () {
      yield* TestEngine.open()
      const verifications = yield* Verifications
      const code = { organization: acme, phoneNumber: number, channel: "whatsapp" } as const
      yield* verifications.send(code)
      yield* TestClock.adjust("1 minute")
      const store = yield* Store
      assert.lengthOf(yield* store.due(10), 1)
      const gateway = yield* SimulatedGateway.SimulatedGateway
      const settle = runJson(["settle", "--without-lookup"], { env })
      assert.deepStrictEqual(yield* settle, { examined: 0, lookedUp: 0, left: 0 })
      assert.lengthOf(yield* store.due(10), 1)
      yield* TestClock.adjust("1 day")
      yield* settle
      assert.strictEqual(yield* statusOf(1), "unknown")
      assert.strictEqual(yield* gateway.dispatches, 1)
    },
  )
})

describe("prune", () => {
  delivering.effect("deletes what is older, and asks first", function* () {
    yield* TestEngine.open()
    const messages = yield* Messages
    const one = { organization: acme, phoneNumber: number, text: "Welcome" }
    yield* messages.send(one)
    yield* TestClock.adjust("2 days")
    yield* messages.send(one)
    const args = ["prune", "--messages", "1 day", "--share", "1"]
    const unasked = yield* runCli(args)
    assert.strictEqual(unasked.exitCode, exitCodes.usage)
    assert.include(unasked.stderr, "Delete messages older than 1 day, of all organizations?")
    assert.strictEqual(yield* statusOf(1), "delivered")
    const pruned = yield* runJson([...args, "--yes"])
    assert.deepInclude(pruned, { messages: 1, verifications: 0, audit: 0, codes: 0 })
    assert.isUndefined(yield* statusOf(1))
    assert.strictEqual(yield* statusOf(2), "delivered")
  })

  delivering.effect("erases the codes of expired requests without any days", function* () {
    yield* TestEngine.open()
    const verifications = yield* Verifications
    yield* verifications.send({ organization: acme, phoneNumber: number })
    yield* TestClock.adjust("1 hour")
    const pruned = yield* runJson(["prune", "--share", "1"])
    assert.deepInclude(pruned, { codes: 1, messages: 0 })
  })

  for (const args of [
    ["--messages", "0 days"],
    ["--messages", "90"],
    ["--share", "0"],
    ["--share", "2"],
  ]) {
    engine.effect(`refuses ${args.join(" ")}`, function* () {
      const { exitCode } = yield* runCli(["prune", ...args, "--yes"])
      assert.strictEqual(exitCode, exitCodes.usage)
    })
  }
})

describe("erase and export", () => {
  delivering.effect(
    "print what is stored of a number, erase it, and record who did so and why",
    function* () {
      yield* sent
      const why = ["--reason", "ticket 7"]
      const exported = yield* runCli(["export", number, ...why], { env })
      assert.strictEqual(exported.exitCode, 0, exported.stderr)
      const records = exported.stdout.split("\n").map((line) => decodeJson(line))
      const message = records.find((one) => JSON.stringify(one).includes('"type":"message"'))
      assert.deepInclude(message, { phoneNumber: number, text: "Welcome", reports: [] })
      const unasked = yield* runCli(["erase", number, ...why], { env })
      assert.strictEqual(unasked.exitCode, exitCodes.usage)
      assert.notInclude(unasked.stderr, number)
      const erased = yield* runJson(["erase", number, ...why, "--yes"], { env })
      assert.deepInclude(erased, { messages: 1, left: 0 })
      const again = yield* runCli(["export", number, ...why], { env })
      assert.notInclude(again.stdout, "Welcome")
      const audit = yield* Audit
      const { entries } = yield* audit.list({ organization: acme, limit: 3 })
      assert.deepStrictEqual(
        entries.map(({ action, origin, reason, target }) => ({ action, origin, reason, target })),
        [
          { action: "number.exported", origin: "cli", reason: "ticket 7", target: "+8801*****678" },
          { action: "number.erased", origin: "cli", reason: "ticket 7", target: null },
          { action: "number.exported", origin: "cli", reason: "ticket 7", target: "+8801*****678" },
        ],
      )
    },
  )

  delivering.effect(
    "show the events that they have passed on the terminal of the error output",
    function* () {
      yield* sent
      const bar = (part: string, done: number) => `${part.repeat(30)}  ${done} of 5 events`
      for (const [command, label] of [
        ["export", "Exporting"],
        ["erase", "Erasing"],
      ] as const) {
        const shown: Array<string> = []
        const watch = (text: string) => void shown.push(text)
        const args = [command, number, "--reason", "ticket 7", "--yes"]
        const { stdout } = yield* runCli(args, { env, watch })
        const lines = new Set(shown.map((text) => text.trim()))
        const bars = [`${label}  ${bar("░", 0)}`, `${label}  ${bar("█", 5)}`]
        assert.deepStrictEqual([...lines].toSorted(), ["", ...bars].toSorted())
        assert.match(shown.at(-1) ?? "", /^\r +\r$/)
        assert.notInclude(stdout, label)
      }
    },
  )

  for (const command of ["erase", "export"]) {
    delivering.effect(
      `${command} does nothing without a reason, a number or the secret`,
      function* () {
        yield* TestEngine.open()
        const cases = [
          [[command, number, "--yes"], env, "--reason"],
          [[command, number, "--yes", "--reason", " "], env, "--reason"],
          [[command, "12", "--yes", "--reason", "x"], env, "phoneNumber must be in E.164"],
          [
            [command, number, "--yes", "--reason", "x", "-o", "acme"],
            {},
            "COUNTERSIGN_SECRET is not set",
          ],
        ] as const
        for (const [args, env, said] of cases) {
          const { exitCode, stderr, stdout } = yield* runCli(args, { env })
          assert.strictEqual(exitCode, exitCodes.usage)
          assert.include(stderr, said)
          assert.strictEqual(stdout, "")
        }
      },
    )
  }
})
