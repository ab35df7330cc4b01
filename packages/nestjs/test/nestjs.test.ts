import { Inject, Module } from "@nestjs/common"
import { TerminusModule } from "@nestjs/terminus"
import { Test } from "@nestjs/testing"
import { ConfigurationError, createCountersign, DisposedError } from "countersign"
import { generateKeyPairSync } from "node:crypto"
import { assert, describe, test } from "vitest"
import { CountersignModule, CountersignService, mountCountersign } from "../src/index.ts"
import { CountersignHealthIndicator } from "../src/terminus.ts"
import { engine, start } from "./support/app.ts"

const phoneNumber = "+8801712345678"
const purpose = "payment"

describe.each(["express", "fastify"] as const)("on %s", (adapter) => {
  const paying = async (more: Parameters<typeof CountersignModule.forRoot>[0] = {}) => {
    const { gateway, options } = engine()
    const started = await start(adapter, [CountersignModule.forRoot({ ...options, ...more })])
    const send = async (of = purpose): Promise<string> => {
      const sent = await started.call("/payments/send", { phoneNumber, purpose: of })
      return String(sent.json().requestId)
    }
    const verified = async (of = purpose) => {
      const requestId = await send(of)
      const code = gateway.latestCode(phoneNumber)
      assert.strictEqual(
        (await started.call("/payments/check", { requestId, code, purpose: of })).status,
        201,
      )
      return requestId
    }
    const pay = (headers: Record<string, string>) => started.call("/payments/pay/5", {}, headers)
    return { ...started, send, verified, pay }
  }

  test("injects the engine by its class, and answers its errors with status and Retry-After", async () => {
    const { call, send } = await paying()
    const requestId = await send()
    const wrong = await call("/payments/check", { requestId, code: "x", purpose })
    assert.deepStrictEqual([wrong.status, wrong.json().code], [400, "wrong_code"])
    for (let sent = 1; sent < 5; sent++) await send()
    const limited = await call("/payments/send", { phoneNumber, purpose })
    assert.strictEqual(limited.status, 429)
    assert.strictEqual(limited.headers.get("retry-after"), String(limited.json().retryAfterSeconds))
    assert.strictEqual(limited.headers.get("cache-control"), "no-store")
    assert.strictEqual((await call("/payments/fails")).status, 500)
  })

  test("lets a verified request pass the guard once", async () => {
    const { pay, send, verified } = await paying()
    const requestId = await verified()
    const headers = { "countersign-request": requestId }
    assert.deepStrictEqual((await pay(headers)).json(), {
      verified: { phoneNumber, purpose, requestId },
      amount: "5",
    })
    assert.strictEqual((await pay(headers)).json().code, "already_consumed")
    assert.strictEqual((await pay({})).status, 401)
    const pending = await pay({ "countersign-request": await send() })
    assert.deepStrictEqual([pending.status, pending.json().code], [409, "not_verified"])
    const other = await pay({ "countersign-request": await verified("login") })
    assert.deepStrictEqual([other.status, other.json().code], [404, "request_not_found"])
  })

  test("lets a proof of the purpose pass, and no other", async () => {
    const key = String(
      generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }),
    )
    const issuer = "https://example.com"
    const proofs = { keys: [key], issuer, audience: "shop" }
    const published: { by?: CountersignService } = {}
    const jwksUrl = "https://example.com/api/v2/jwks.json"
    const keys = async (url: string) => published.by?.fetch(new Request(url)) ?? Response.error()
    const acceptProofs = { jwksUrl, fetch: keys, issuer, audience: "shop" }
    const { countersign, pay, verified } = await paying({ verifications: { proofs }, acceptProofs })
    published.by = countersign
    const proofOf = async (of: string): Promise<string> => {
      const requestId = await verified(of)
      return (await countersign.verifications.consume({ requestId, purpose: of })).proof ?? ""
    }
    const paid = await pay({ "countersign-proof": await proofOf(purpose) })
    assert.deepInclude(paid.json().verified, { phoneNumber, purpose })
    const other = await pay({ "countersign-proof": await proofOf("login") })
    assert.deepStrictEqual(
      [other.status, other.json().message],
      [401, "The proof is for another purpose"],
    )
    assert.strictEqual((await pay({ "countersign-proof": "x" })).status, 401)
  })

  test("accepts no proof without keys", async () => {
    const { pay } = await paying()
    assert.strictEqual(
      (await pay({ "countersign-proof": "x" })).json().message,
      "No proofs are accepted",
    )
  })

  test("mounts the interface below its path, before the parsers and without the global prefix", async () => {
    const { options } = engine()
    const { call } = await start(adapter, [CountersignModule.forRoot(options)], (app) => {
      app.setGlobalPrefix("v1")
      mountCountersign(app, "/api/v2", app.get(CountersignService))
    })
    const document = await call("/api/v2/openapi.json")
    assert.deepInclude(document.json(), { servers: [{ url: "/api/v2" }] })
    const refused = await call("/api/v2/verify", { phone_number: phoneNumber })
    assert.strictEqual(refused.status, 401)
    assert.strictEqual((await call("/v1/payments/fails")).status, 500)
  })
})

describe("CountersignModule", () => {
  test("shares one engine between imports, and refuses other options", async () => {
    const { options } = engine()
    class Feature {}
    Module({ imports: [CountersignModule.forRoot({ ...options })] })(Feature)
    const { countersign } = await start("express", [CountersignModule.forRoot(options), Feature])
    assert.isTrue(countersign.isReady())
    const two = [options, engine().options].map((one) => CountersignModule.forRoot(one))
    const error = await Test.createTestingModule({ imports: two })
      .compile()
      .then(
        () => undefined,
        (reason: unknown) => reason,
      )
    assert.instanceOf(error, ConfigurationError)
    assert.match(String(error), /Import it once, in the root module/)
  })

  test("takes options from a factory, and ends the engine with the application", async () => {
    const { options } = engine()
    const { app, countersign } = await start("fastify", [
      CountersignModule.forRootAsync({ useFactory: async () => options }),
    ])
    await app.close()
    assert.isFalse(countersign.isReady())
    const error = await countersign.verifications.send({ phoneNumber }).catch((one: unknown) => one)
    assert.instanceOf(error, DisposedError)
  })

  test("leaves a module without the engine alone if it is not global", async () => {
    const { options } = engine()
    class Feature {
      readonly countersign: CountersignService
      constructor(countersign: CountersignService) {
        this.countersign = countersign
      }
    }
    Inject(CountersignService)(Feature, undefined, 0)
    class Other {}
    Module({ providers: [Feature] })(Other)
    const imports = [CountersignModule.forRoot({ ...options, isGlobal: false }), Other]
    const error = await Test.createTestingModule({ imports })
      .compile()
      .catch((one: unknown) => one)
    assert.match(String(error), /can't resolve dependencies of the Feature/)
  })

  test("takes an engine of the test instead", async () => {
    const { options } = engine()
    const own = await createCountersign(options)
    const made = await Test.createTestingModule({ imports: [CountersignModule.forRoot({})] })
      .overrideProvider(CountersignService)
      .useValue(own)
      .compile()
    assert.strictEqual(made.get(CountersignService), own)
    await made.close()
    assert.isFalse(own.isReady())
  })

  test("tells the health of the engine", async () => {
    const { options } = engine()
    const made = await Test.createTestingModule({
      imports: [CountersignModule.forRoot(options), TerminusModule],
      providers: [CountersignHealthIndicator],
    }).compile()
    const health = made.get(CountersignHealthIndicator)
    assert.deepStrictEqual(await health.isHealthy("sms"), { sms: { status: "up" } })
    await made.get(CountersignService).dispose()
    assert.deepStrictEqual(await health.isHealthy("sms"), {
      sms: { status: "down", message: "shutting down" },
    })
    await made.close()
  })
})
