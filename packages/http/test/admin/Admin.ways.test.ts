import { Organizations } from "@countersign/core/services/Organizations"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Admin from "../../src/admin/Admin.ts"
import { recording } from "../../../../test/support/observed.ts"
import { operator } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const authorize = ({ headers }: Request) =>
  headers.get("authorization") === "secret" ? operator : undefined

const request = (path: string, body?: object): Request =>
  new Request(`http://admin.test${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "secret", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** An engine with the organization `acme`. */
const engine = Layer.provideMerge(
  Layer.effectDiscard(
    Organizations.use((organizations) => Effect.orDie(organizations.create({ id: "acme" }))),
  ),
  TestEngine.layer(),
)

describe("the admin API for hosts with Effect", () => {
  it.live("is a fetch handler over layers", () =>
    Effect.promise(async () => {
      const { dispose, fetch, handle } = Admin.toWebHandler(engine, { authorize })
      const found = await fetch(request("/admin/api/organizations/acme/balance"))
      assert.deepStrictEqual(await found.json(), { balance: "0.00", held: "0.00", currency: "BDT" })
      const elsewhere = await handle(request("/ops/api/organizations"), { basePath: "/ops" })
      assert.strictEqual(elsewhere.status, 200)
      const parsed = await handle(request("/admin/api/organizations", {}), {
        body: { id: "other" },
      })
      assert.strictEqual(parsed.status, 200)
      assert.strictEqual((await fetch(request("/api/v2/balance"))).status, 404)
      await dispose()
    }),
  )

  it.live.each(["/admin", "/ops/dashboard", "/"])(
    "adds its routes below %s to the router of the host",
    (basePath) =>
      Effect.promise(async () => {
        const routes = Layer.mergeAll(
          Admin.layerRoutes({ authorize, basePath }),
          HttpRouter.add("GET", "/health", HttpServerResponse.text("fine")),
        )
        const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(routes, engine), {
          disableLogger: true,
        })
        const statusOf = async (path: string) => (await handler(request(path))).status
        const base = basePath.replace(/\/$/, "")
        assert.strictEqual(await statusOf(`${base}/api/session`), 200)
        assert.strictEqual(await statusOf(`${base}/api/organizations/acme/api-keys`), 200)
        assert.strictEqual(await statusOf(base), base === "" ? 404 : 308)
        assert.strictEqual(await statusOf(`${base}/`), 404)
        assert.strictEqual(await statusOf("/health"), 200)
        assert.strictEqual(await statusOf(`${base}ies`), 404)
        await dispose()
      }),
  )

  engineTest("is not made without authorize", function* () {
    const made = yield* Effect.exit(Admin.make({}))
    assert.isTrue(Exit.isFailure(made))
  })

  it.live("keeps the content of requests out of spans", () =>
    Effect.promise(async () => {
      const { layer, written } = recording()
      const traced = Layer.provideMerge(engine, layer)
      const { dispose, fetch } = Admin.toWebHandler(traced, { authorize })
      const phoneNumber = "+8801712345678"
      const path = "/admin/api/organizations/acme"
      await fetch(request(`${path}/export?phoneNumber=${encodeURIComponent(phoneNumber)}`))
      await fetch(request(`${path}/erase`, { phoneNumber, reason: "my secret" }))
      assert.include(written(), "Privacy.erase")
      for (const hidden of ["8801712345678", "my secret", "secret"]) {
        assert.notInclude(written(), hidden)
      }
      await dispose()
    }),
  )
})
