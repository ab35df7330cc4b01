import * as Engine from "@countersign/core/Engine"
import { Gateway } from "@countersign/core/ports/Gateway"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/values/Money"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { Reports } from "@countersign/core/services/Reports"
import { Store } from "@countersign/core/ports/Store"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { test } from "../../../test/support/gatewayTest.ts"
import { serveFetch } from "../../../test/support/fetchServer.ts"
import type { CallbackRequest } from "../src/Adapter.ts"
import * as Callbacks from "../src/Callbacks.ts"
import * as Twilio from "../src/Twilio.ts"
import * as ForTwilio from "./support/twilio.ts"

const publicUrl = "https://sms.example.com"
const organization = OrganizationId("acme")

/** Everything from the send to the report, over two servers on loopback. */
const stage = Effect.gen(function* () {
  yield* TestClock.setTime(Samples.now)
  const vendor = yield* GatewaySuite.startVendor()
  vendor.conduct({ _tag: "Answer", ...ForTwilio.created() })
  const adapter = yield* Twilio.make({ ...ForTwilio.options, baseUrl: vendor.baseUrl })
  const engine = yield* Layer.build(
    Layer.fresh(Engine.layer).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Layer.fresh(MemoryStore.layer),
          Layer.succeed(Gateway, adapter.gateway),
          CodeSecrets.layer(TestEngine.codeSecret),
        ),
      ),
    ),
  )
  yield* Effect.provide(TestEngine.open(), engine)
  const handler = yield* Effect.provide(
    Callbacks.makeWebHandler({ publicUrl, adapters: [adapter] }),
    engine,
  )
  const origin = yield* serveFetch(handler)
  const sending = Messages.use((_) =>
    _.send({
      organization,
      phoneNumber: Samples.phoneNumber(),
      text: "Your parcel is here",
    }),
  )
  yield* Effect.provide(sending, engine)
  const state = Effect.gen(function* () {
    const { messages } = yield* Messages.use((_) => _.list({ organization }))
    const account = yield* Store.use((store) => store.account(organization))
    return `${messages[0]?.status}, ${Money.format(account?.held ?? Money.make("0"))} held`
  }).pipe(Effect.provide(engine))

  /** Calls as a vendor does that knows the host under its public address. */
  const call = ({ body, headers, method, url }: CallbackRequest) =>
    Effect.promise(async () => {
      const response = await fetch(url.href.replace(publicUrl, origin), {
        method,
        headers: Object.entries(headers).map(([name, value]): [string, string] => [
          name,
          value ?? "",
        ]),
        body: Uint8Array.from(body),
      })
      return response.status
    })
  const evidence = Reports.use((_) => _.forMessage({ organization, sequence: 1 })).pipe(
    Effect.map((reports) => reports.map(({ evidence, gateway }) => `${gateway}: ${evidence}`)),
    Effect.provide(engine),
  )
  return { state, call, evidence, received: vendor.requests[0]?.body ?? "" }
})

test("a report over HTTP settles its message once, and a forged report has no effect", function* () {
  const { call, evidence, received, state } = yield* stage
  const url = new URL(new URLSearchParams(received).get("StatusCallback") ?? "")
  const report = ForTwilio.signedRequest(url, {
    MessageSid: "SM1",
    MessageStatus: "delivered",
    To: "+8801712345678",
    Body: "Your code is 482913",
  })
  const forged = { ...report, headers: { ...report.headers, "x-twilio-signature": "AAAA" } }
  assert.strictEqual(yield* call(forged), 403)
  assert.strictEqual(yield* state, "accepted, 0.50 held")
  assert.deepStrictEqual(yield* evidence, [])
  for (const _ of [1, 2]) assert.strictEqual(yield* call(report), 200)
  assert.strictEqual(yield* state, "delivered, 0.00 held")
  const kept = 'twilio: {"MessageSid":"SM1","MessageStatus":"delivered"}'
  assert.deepStrictEqual(yield* evidence, [kept, kept])
})
