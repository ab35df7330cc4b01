import { MessageId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { Gateway } from "@countersign/core/ports/Gateway"
import { exitCodes } from "@countersign/cli/ExitCode"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { serveFetch } from "../../../test/support/fetchServer.ts"
import { layerLookup, names, type VendorName } from "../src/internal/vendors.ts"
import { decodeJson, runBare } from "./support/runCli.ts"
import { test } from "../../../test/support/testsOver.ts"

const number = "+8801712345678"
const key = "a-key-that-stays-secret"
const check = ["gateways", "check"]

it("knows every gateway that reads its options from the environment", () => {
  const folder = join(import.meta.dirname, "../../gateways/src")
  const modules = globSync("*.ts", { cwd: folder }).filter((one) =>
    readFileSync(join(folder, one), "utf8").includes("export const layerConfig"),
  )
  assert.strictEqual(names.length, modules.length)
})

describe("the gateways of a settlement", () => {
  const env = {
    ALPHA_SMS_API_KEY: key,
    ROBI_USERNAME: "acme",
    ROBI_PASSWORD: key,
    TWILIO_ACCOUNT_SID: "AC1",
    TWILIO_AUTH_TOKEN: key,
  }
  const gateway = (...names: readonly [VendorName, ...ReadonlyArray<VendorName>]) =>
    Gateway.pipe(
      Effect.provide(layerLookup(names)),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    )

  test.effect(
    "look messages up by the names of those that can, and prove nothing for others",
    function* () {
      const { capabilities, lookupNames, name } = yield* gateway("alpha-sms", "robi")
      assert.strictEqual(name, "command line")
      assert.deepStrictEqual(lookupNames, ["alpha-sms"])
      assert.isTrue(capabilities.lookup)
      const none = yield* gateway("twilio")
      assert.isFalse(none.capabilities.lookup)
    },
  )

  test.effect("honour no token and send nothing, so that no dispatch is repeated", function* () {
    const { capabilities, send } = yield* gateway("alpha-sms")
    assert.strictEqual(capabilities.tokenMillis, 0)
    const exit = yield* Effect.exit(
      send({
        token: MessageId("msg_1"),
        ref: { organization: OrganizationId("acme"), sequence: 1 },
        purpose: "message",
        class: "transactional",
        channel: "sms",
        phoneNumber: PhoneNumber.fromE164(number),
        sender: "ACME",
        text: Redacted.make("Hi"),
      }),
    )
    assert.isTrue(Exit.hasDies(exit))
  })
})

describe("countersign gateways check", () => {
  const to = ["robi", "--send-to"]
  const refusals = [
    ["without a gateway", [], "Missing required argument: gateway"],
    ["with a gateway that it does not know", ["unknown"], "alpha-sms"],
    ["without a number", ["robi", "--yes"], "--send-to"],
    ["with a number without a country", [...to, "12", "--yes"], "--send-to must be in E.164"],
    [
      "with a number that cannot exist",
      [...to, "+8801012345678", "--yes"],
      "--send-to is not a valid number",
    ],
    ["with a channel that there is not", [...to, number, "--channel", "fax", "--yes"], "--channel"],
    [
      "with a wait that is too long",
      [...to, number, "--wait", "61 minutes", "--yes"],
      "must be between 0 seconds and 1 hour",
    ],
    ["without --yes", [...to, number], "give --yes"],
    ["without the credentials", [...to, number, "--yes"], "ROBI_USERNAME"],
  ] as const
  for (const [title, args, said] of refusals) {
    test.effect(`sends nothing ${title}`, function* () {
      const { exitCode, stderr, stdout } = yield* runBare([...check, ...args])
      assert.strictEqual(exitCode, exitCodes.usage)
      assert.include(stderr, said)
      assert.strictEqual(stdout, "")
    })
  }

  test.live("sends one message to the vendor, and prints its outcome", function* () {
    const bodies: Array<string> = []
    const baseUrl = yield* serveFetch(async (request) => {
      bodies.push(await request.text())
      return Response.json({ response_code: 1007, error_message: `Balance of ${key}` })
    })
    const args = [...check, "bulksmsbd", "--send-to", number, "--sender", "ACME", "--yes"]
    const env = { BULKSMSBD_API_KEY: key, BULKSMSBD_BASE_URL: baseUrl }
    const { exitCode, stderr, stdout } = yield* runBare(args, { env })
    assert.strictEqual(exitCode, exitCodes.failed)
    assert.include(stderr, "bulksmsbd has not accepted the message")
    assert.lengthOf(bodies, 1)
    assert.include(bodies[0], "senderid=ACME")
    assert.include(stdout, "bulksmsbd, to +8801*****678")
    assert.include(stdout, '"_tag":"Rejected","reason":"account"')
    assert.notInclude(stdout + stderr, key)
    const json = yield* runBare([...args, "--json"], { env })
    assert.deepInclude(decodeJson(json.stdout), { gateway: "bulksmsbd", reports: [] })
  })

  test.effect("prints the reports that come while it waits", function* () {
    const arrivals = yield* Queue.unbounded<string>()
    const lines = yield* Queue.unbounded<string>()
    const baseUrl = yield* serveFetch(async (request) => {
      Queue.offerUnsafe(arrivals, request.method)
      return Response.json(
        request.method === "POST"
          ? { error: 0, data: { request_id: 7 } }
          : { error: 0, data: { recipients: [{ status: "Delivered" }] } },
      )
    })
    const env = { ALPHA_SMS_API_KEY: key, ALPHA_SMS_BASE_URL: baseUrl }
    const checking = yield* Effect.forkChild(
      runBare([...check, "alpha-sms", "--send-to", number, "--yes"], {
        env,
        hear: (line) => Queue.offerUnsafe(lines, line),
      }),
    )
    assert.include(yield* Queue.take(lines), '{"_tag":"Accepted","gatewayId":"7"}')
    // Both of them have come to wait: the check for its end, and the poller for its time.
    for (let turn = 0; turn < 20; turn++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    yield* TestClock.adjust("7 seconds")
    assert.strictEqual(yield* Queue.take(lines), "report: delivered (Delivered)")
    yield* TestClock.adjust("60 seconds")
    assert.strictEqual((yield* Fiber.join(checking)).exitCode, exitCodes.done)
    assert.strictEqual(yield* Queue.take(lines), "1 report(s) within 1 minute")
    assert.deepStrictEqual(
      [yield* Queue.take(arrivals), yield* Queue.take(arrivals)],
      ["POST", "GET"],
    )
  })
})
