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
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { serveFetch } from "../../../test/support/fetchServer.ts"
import type { Adapter, CallbackRequest } from "../src/Adapter.ts"
import * as Callbacks from "../src/Callbacks.ts"
import * as Twilio from "../src/Twilio.ts"
import * as Vonage from "../src/Vonage.ts"
import * as WhatsAppCloud from "../src/WhatsAppCloud.ts"
import * as ForTwilio from "./support/twilio.ts"
import * as ForVonage from "./support/vonage.ts"
import * as ForWhatsApp from "./support/whatsAppCloud.ts"

const publicUrl = "https://sms.example.com"
const organization = OrganizationId("acme")

/** Everything from the send to the report, over two servers on loopback. */
const stage = (
  make: (baseUrl: string) => Effect.Effect<Adapter, never, GatewaySuite.Platform>,
  answer: GatewaySuite.VendorAnswer,
  channel: "sms" | "whatsapp",
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    const vendor = yield* GatewaySuite.startVendor()
    vendor.conduct({ _tag: "Answer", ...answer })
    const adapter = yield* make(vendor.baseUrl)
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
        channel,
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

describe("A report over HTTP", () => {
  it.effect("from Twilio settles its message once, and a forged report has no effect", () =>
    Effect.gen(function* () {
      const { call, evidence, received, state } = yield* stage(
        (baseUrl) => Twilio.make({ ...ForTwilio.options, baseUrl }),
        ForTwilio.created(),
        "sms",
      )
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
    }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform)),
  )

  it.effect("from Vonage settles its message, and a repeated report has no effect", () =>
    Effect.gen(function* () {
      const { call, state } = yield* stage(
        (baseUrl) => Vonage.make({ ...ForVonage.options, baseUrl }),
        ForVonage.taken(),
        "sms",
      )
      const reportOf = (status: string) =>
        JSON.stringify({ message_uuid: ForVonage.uuid, status, client_ref: "acme.1" })
      const first = ForVonage.signedRequest(reportOf("submitted"), Samples.now)
      // Under the name of the first: a real vendor never does that.
      const second = ForVonage.signedRequest(reportOf("delivered"), Samples.now)
      const third = ForVonage.signedRequest(reportOf("delivered"), Samples.now, {
        claims: { jti: "another" },
      })
      assert.strictEqual(yield* call(first), 200)
      assert.strictEqual(yield* call(second), 200)
      assert.strictEqual(yield* state, "accepted, 0.50 held")
      assert.strictEqual(yield* call({ ...third, body: second.body.slice(1) }), 403)
      assert.strictEqual(yield* call(third), 200)
      assert.strictEqual(yield* state, "delivered, 0.00 held")
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual(yield* call(third), 403)
    }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform)),
  )

  it.effect("from Meta may concern many messages, and settles the known ones", () =>
    Effect.gen(function* () {
      const { call, state } = yield* stage(
        (baseUrl) => WhatsAppCloud.make({ ...ForWhatsApp.options, baseUrl }),
        ForWhatsApp.taken(),
        "whatsapp",
      )
      const about = (ref: string) => ({
        id: ForWhatsApp.wamid,
        status: "delivered",
        biz_opaque_callback_data: ref,
      })
      const body = ForWhatsApp.notification(
        about("unknown.1"),
        about("acme.999"),
        about("acme.1"),
        about("acme.1"),
      )
      assert.strictEqual(yield* call(ForWhatsApp.signed(body)), 200)
      assert.strictEqual(yield* state, "delivered, 0.00 held")
    }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform)),
  )
})
