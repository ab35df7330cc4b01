import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, test } from "vitest"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Admin from "../src/Admin.ts"

test.each(["/admin", "/ops/dashboard", "/"])(
  "layerRoutes serves the API below %s and redirects to its slash",
  async (basePath) => {
    const routes = Admin.layerRoutes({
      basePath,
      authorize: () => ({ actor: { id: "olga" }, roles: ["read"] }),
    })
    const { dispose, handler } = HttpRouter.toWebHandler(
      Layer.provide(routes, TestEngine.layer()),
      { disableLogger: true },
    )
    const get = async (path: string) =>
      (await handler(new Request(`http://localhost${path}`, { redirect: "manual" }))).status
    const base = basePath.replace(/\/$/, "")
    const bare = base === "" ? 404 : 308
    const statuses = [
      await get(`${base}/api/organizations`),
      await get(base),
      await get(`${base}/`),
      await get("/else/where"),
    ]
    assert.deepStrictEqual(statuses, [200, bare, 404, 404])
    await dispose()
  },
)
