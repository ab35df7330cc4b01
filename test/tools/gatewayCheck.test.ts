import { layerCrypto } from "@countersign/node/Node"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "vitest"
import { serveFetch } from "../support/fetchServer.ts"
import { check, planOf, vendors } from "./gatewayCheck.ts"
import { root } from "./paths.ts"
import { run } from "./run.ts"

const file = join(import.meta.dirname, "gatewayCheck.ts")
const number = "+8801712345678"
const key = "a-key-that-stays-secret"

const platform = Layer.merge(FetchHttpClient.layer, layerCrypto)

describe("pnpm gateway:check", () => {
  const refusals = [
    { title: "without a vendor", args: [], said: "VENDOR: alpha-sms, banglalink" },
    { title: "with a vendor that it does not know", args: ["unknown"], said: "VENDOR:" },
    { title: "with an option that it does not know", args: ["robi", "--force"], said: "VENDOR:" },
    { title: "without a number", args: ["robi", "--yes"], said: "--to must be in E.164" },
    {
      title: "with a number that cannot exist",
      args: ["robi", "--to", "+8801012345678", "--yes"],
      said: "--to is not a valid number",
    },
    {
      title: "with a channel that there is not",
      args: ["robi", "--to", number, "--channel", "fax", "--yes"],
      said: "--channel is",
    },
    {
      title: "with a wait that is too long",
      args: ["robi", "--to", number, "--seconds", "3601", "--yes"],
      said: "--seconds is",
    },
    { title: "without --yes", args: ["robi", "--to", number], said: "Say --yes to do it" },
  ] as const
  for (const { args, said, title } of refusals) {
    test(`does nothing ${title}`, () => {
      const plan = planOf(args)
      assert.include(typeof plan === "string" ? plan : "", said)
    })
  }

  test("exits with 2, and sends nothing, without --yes", async () => {
    const { code, stderr, stdout } = await run(process.execPath, [file, "robi", "--to", number])
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.include(stderr, "Say --yes")
  })

  test("knows every gateway that reads its options from the environment", () => {
    const modules = globSync("packages/gateways/src/*.ts", { cwd: root }).filter((one) =>
      readFileSync(join(root, one), "utf8").includes("export const layerConfig"),
    )
    assert.strictEqual(vendors.size, modules.length)
  })

  test("is a command of this repository", () => {
    assert.include(
      readFileSync(join(root, "package.json"), "utf8"),
      '"gateway:check": "node test/tools/gatewayCheck.ts"',
    )
  })

  it.live("sends one message to the vendor, and prints its outcome", () =>
    Effect.gen(function* () {
      const bodies: Array<string> = []
      const baseUrl = yield* serveFetch(async (request) => {
        bodies.push(await request.text())
        return Response.json({ response_code: 1007, error_message: `Balance of ${key}` })
      })
      const { code, stderr, stdout } = yield* Effect.promise(() =>
        run(process.execPath, [file, "bulksmsbd", "--to", number, "--sender", "ACME", "--yes"], {
          env: { BULKSMSBD_API_KEY: key, BULKSMSBD_BASE_URL: baseUrl },
        }),
      )
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(bodies.length, 1)
      assert.include(bodies[0], "senderid=ACME")
      assert.include(stdout, "bulksmsbd, to +8801*****678")
      assert.include(stdout, '"_tag":"Rejected","reason":"account"')
      assert.notInclude(stdout + stderr, key)
    }),
  )

  it.effect("prints the reports that come while it waits", () =>
    Effect.gen(function* () {
      const arrivals = yield* Queue.unbounded<string>()
      const baseUrl = yield* serveFetch(async (request) => {
        Queue.offerUnsafe(arrivals, request.method)
        return Response.json(
          request.method === "POST"
            ? { error: 0, data: { request_id: 7 } }
            : { error: 0, data: { recipients: [{ status: "Delivered" }] } },
        )
      })
      const plan = planOf(["alpha-sms", "--to", number, "--yes"])
      if (typeof plan === "string") return assert.fail(plan)
      const lines = yield* Queue.unbounded<string>()
      const checking = yield* Effect.forkChild(
        check(plan, (line) => Queue.offerUnsafe(lines, line)).pipe(
          Effect.provideService(
            ConfigProvider.ConfigProvider,
            ConfigProvider.fromUnknown({ ALPHA_SMS_API_KEY: key, ALPHA_SMS_BASE_URL: baseUrl }),
          ),
        ),
      )
      assert.include(yield* Queue.take(lines), '{"_tag":"Accepted","gatewayId":"7"}')
      // Both of them have come to wait: the check for its end, and the poller for its time.
      for (let turn = 0; turn < 20; turn++) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual(yield* Queue.take(lines), "report: delivered (Delivered)")
      yield* TestClock.adjust("60 seconds")
      yield* Fiber.join(checking)
      assert.strictEqual(yield* Queue.take(lines), "1 report(s) within 60 seconds")
      assert.deepStrictEqual(
        [yield* Queue.take(arrivals), yield* Queue.take(arrivals)],
        ["POST", "GET"],
      )
    }).pipe(Effect.provide(platform)),
  )

  test("names a missing variable", async () => {
    const { code, stderr } = await run(process.execPath, [file, "robi", "--to", number, "--yes"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "ROBI_")
  })
})
