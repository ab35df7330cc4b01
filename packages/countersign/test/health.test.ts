/** What balancers and Prometheus read, on the routes of the interface and from the engine. */
import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"

const { database, host } = hosts()

const token = "a-token-that-only-tests-have"

const read = async (engine: Countersign.Countersign, path: string, authorization?: string) => {
  const request = new Request(`http://countersign.test/api/v2${path}`, {
    headers: authorization === undefined ? {} : { authorization },
  })
  const response = await engine.fetch(request)
  return [response.status, await response.text()] as const
}

describe("readiness", () => {
  it("fails from the call of shutdown on, while requests are still served", async () => {
    const { engine } = await host()
    assert.deepStrictEqual(await engine.health(), { isReady: true })
    assert.deepStrictEqual(await read(engine, "/ready"), [200, '{"status":"ready"}'])
    const stopped = engine.shutdown({ wait: "1 hour" })
    assert.deepStrictEqual(await engine.health(), { isReady: false, reason: "draining" })
    assert.deepStrictEqual(await read(engine, "/ready"), [
      503,
      '{"error":"This node stops","reason":"draining"}',
    ])
    assert.deepStrictEqual(await read(engine, "/health"), [200, '{"status":"ok"}'])
    await engine.dispose()
    await stopped
    assert.deepStrictEqual(await engine.health(), { isReady: false, reason: "draining" })
  })

  it("fails without the tables of this build", async () => {
    const { engine, settings } = await host({ database: await database() })
    const { default: pg } = await import("pg")
    const { database: place } = settings
    const url = typeof place === "string" ? place : (place?.url ?? "")
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query("DELETE FROM countersign.migrations WHERE id = 5")
    await client.end()
    assert.deepStrictEqual(await engine.health(), { isReady: false, reason: "migrations" })
    const [status, text] = await read(engine, "/ready")
    assert.strictEqual(status, 503)
    assert.include(text, '"reason":"migrations"')
  })
})

describe("metrics", () => {
  it("are those of this engine alone, from the start", async () => {
    const { engine } = await host({ database: "memory", http: { metrics: { token } } })
    const { engine: other } = await host({ database: "memory" })
    await other.messages.send({ phoneNumber: "+8801712345678", text: "hello" })
    const sent = /^countersign_sends_total\{.*outcome="Delivered"\} [1-9]/m
    const text = await engine.metrics()
    assert.notMatch(text, sent)
    assert.match(text, /^countersign_http_requests_total\{route="POST \/verify",status="2xx"\} 0$/m)
    assert.match(await other.metrics(), sent)
  })

  it("count the requests of a route, and need the token", async () => {
    const { engine } = await host({ database: "memory", http: { metrics: { token } } })
    assert.strictEqual((await read(engine, "/balance", "Bearer wrong"))[0], 401)
    assert.strictEqual((await read(engine, "/nothing"))[0], 404)
    assert.strictEqual((await read(engine, "/metrics", "Bearer wrong"))[0], 401)
    const [status, text] = await read(engine, "/metrics", `Bearer ${token}`)
    assert.strictEqual(status, 200)
    assert.match(text, /^countersign_http_requests_total\{route="GET \/balance",status="4xx"\} 1$/m)
    assert.match(text, /^countersign_http_requests_total\{route="other",status="4xx"\} 1$/m)
    assert.match(text, /^countersign_http_request_seconds_count\{route="GET \/balance"\} 1$/m)
    await engine.dispose()
    await engine.metrics().then(
      () => assert.fail("must reject"),
      (error: unknown) => assert.instanceOf(error, Countersign.DisposedError),
    )
  })

  it("refuse a token that is too short to be a secret", async () => {
    const wrong = [
      [{ metrics: { token: "short" } }, /^http\.metrics\.token must have at least 16 characters/],
      [{ metrics: { token: `${token} ` } }, /and no space/],
      [{ metrics: { tokens: token } }, /tokens/],
      [{ metrics: true }, /metrics/],
    ] as const
    for (const [http, message] of wrong) {
      const options: object = { database: "memory", http }
      await Countersign.createCountersign(options).then(
        () => assert.fail("must reject"),
        (error: unknown) => {
          assert(error instanceof Countersign.ConfigurationError)
          assert.match(error.message, message)
        },
      )
    }
  })
})
