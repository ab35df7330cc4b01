import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Login from "../../src/login/Login.ts"
import { own } from "../support/LoginSubject.ts"

/** An engine with the default organization. */
const engine = Layer.provideMerge(
  Layer.effectDiscard(TestEngine.open({ id: "default" })),
  TestEngine.layer(),
)

const start = (path: string): Request =>
  new Request(`http://app.test${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ phoneNumber: own }),
  })

/** A service of the host. */
class Users extends Context.Service<Users, { readonly names: Array<string> }>()("test/Users") {}

const onVerified = ({ phoneNumber }: Login.VerifiedLogin) =>
  Users.use(({ names }) => {
    names.push(phoneNumber)
    return Effect.succeed(HttpServerResponse.empty())
  })

const never = () => Effect.never

describe("the login for hosts with Effect", () => {
  it.live("is a fetch handler over layers", () =>
    Effect.promise(async () => {
      const { dispose, fetch, handle } = Login.toWebHandler(engine, {
        onVerified: (_: unknown, { url }: HttpServerRequest.HttpServerRequest) =>
          Effect.succeed(HttpServerResponse.text(url)),
      })
      assert.strictEqual((await fetch(start("/login/start"))).status, 200)
      const elsewhere = await handle(start("/account/start"), { basePath: "/account" })
      assert.strictEqual(elsewhere.status, 200)
      assert.strictEqual((await fetch(start("/api/v2/verify"))).status, 404)
      await dispose()
    }),
  )

  it.live("refuses what the gate does not admit as everything else", () =>
    Effect.promise(async () => {
      const { dispose, fetch } = Login.toWebHandler(engine, { onVerified: never, maxRequests: 0 })
      const answer = await fetch(start("/login/start"))
      assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "1"])
      assert.deepStrictEqual(await answer.json(), {
        code: "unavailable",
        message: "Temporarily unavailable",
        retryAfterSeconds: 1,
      })
      await dispose()
    }),
  )

  it.live.each(["/login", "/account/sign-in", "/"])(
    "adds its routes below %s to the router of the host, over the services of the host",
    (basePath) =>
      Effect.promise(async () => {
        const routes = Layer.mergeAll(
          Login.layerRoutes({ onVerified, basePath }),
          HttpRouter.add("GET", "/health", HttpServerResponse.text("fine")),
        )
        const users = Layer.succeed(Users, { names: [] })
        const { dispose, handler } = HttpRouter.toWebHandler(
          Layer.provide(routes, Layer.merge(engine, users)),
          { disableLogger: true },
        )
        const base = basePath.replace(/\/$/, "")
        assert.strictEqual((await handler(start(`${base}/start`))).status, 200)
        assert.strictEqual((await handler(start(`${base}/begin`))).status, 404)
        assert.strictEqual((await handler(new Request("http://app.test/health"))).status, 200)
        await dispose()
      }),
  )
})
