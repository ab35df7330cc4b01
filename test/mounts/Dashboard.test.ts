/**
 * The dashboard and its sign-in on every framework, and behind a proxy that has another path for the mount.
 */
import { dashboard, type Pages as DashboardPages, signInWithPassword } from "@countersign/dashboard"
import type { AdminOptions } from "countersign"
import type { RequestListener } from "node:http"
import { afterAll, assert, describe, expectTypeOf, it } from "vitest"
import { mounts, quietEngine, serving } from "../support/adminMounts.ts"

const password = "a password for these tests"

const html = { accept: "text/html" }

/** What a browser sends with the form of a page. */
const form = (text: string): RequestInit => ({
  method: "POST",
  body: new URLSearchParams({ password: text }),
  headers: { "sec-fetch-site": "same-origin" },
  redirect: "manual",
})

/** The addresses that a page loads from, as a browser resolves them. */
const assetsOf = (page: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(
    ([, address = ""]) => new URL(address, page).href,
  )

const countersign = await quietEngine()
afterAll(() => countersign.dispose())

describe("the dashboard", () => {
  /** Sign-ins count their tries, so each test has its own. */
  const options = (): AdminOptions => ({
    basePath: "/dashboard",
    authorize: signInWithPassword({ password }),
    pages: dashboard({ signOutUrl: "sign-out" }),
  })

  it("has the types that the mount takes", () => {
    expectTypeOf<DashboardPages>().toExtend<NonNullable<AdminOptions["pages"]>>()
    expectTypeOf(signInWithPassword).returns.toExtend<AdminOptions["authorize"]>()
  })

  it.each(Object.entries(mounts))("is shown after the right password on %s", async (_, mount) => {
    using server = await serving(await mount(countersign.admin(options())))
    const page = `${server.base}/org/default/messages?phoneNumber=880`
    const asked = await fetch(page, { headers: html })
    assert.include(await asked.text(), "<h1>Sign in</h1>")
    const wrong = await fetch(page, form("wrong"))
    assert.strictEqual(wrong.status, 401)
    assert.include(await wrong.text(), "The password is wrong")
    const right = await fetch(page, form(password))
    assert.strictEqual(right.status, 303)
    assert.strictEqual(new URL(right.headers.get("location") ?? "", page).href, page)
    const cookie = right.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const shown = await fetch(page, { headers: { ...html, cookie } })
    const text = await shown.text()
    for (const asset of assetsOf(page, text)) assert.strictEqual((await fetch(asset)).status, 200)
    const session = await fetch(`${server.base}/api/session`, { headers: { cookie } })
    assert.deepInclude(await session.json(), { roles: ["operator"], organizations: null })
    assert.strictEqual((await fetch(`${server.base}/api/session`)).status, 401)
  })

  it.each(Object.entries(mounts))(
    "ends a session on the server when its reader signs out, on %s",
    async (_, mount) => {
      // Two mounts stand for two nodes: they share the database alone.
      using server = await serving(await mount(countersign.admin(options())))
      using other = await serving(countersign.admin(options()).listener)
      const right = await fetch(`${server.base}/`, form(password))
      const cookie = right.headers.getSetCookie()[0]?.split(";")[0] ?? ""
      const statusAt = async (base: string) =>
        (await fetch(`${base}/api/session`, { headers: { cookie } })).status
      assert.strictEqual(await statusAt(other.base), 200)
      const headers = { cookie, "sec-fetch-site": "same-origin" }
      const out = await fetch(`${server.base}/sign-out`, { ...form(""), headers })
      assert.strictEqual(out.status, 303)
      assert.strictEqual(await statusAt(server.base), 401)
      assert.strictEqual(await statusAt(other.base), 401)
    },
  )

  it("counts wrong passwords by the client behind a trusted proxy", async () => {
    await using behind = await quietEngine({ http: { trustedProxies: ["127.0.0.1"] } })
    using server = await serving(behind.admin(options()).listener)
    const statusFrom = async (address: string) =>
      (
        await fetch(`${server.base}/`, {
          ...form("wrong"),
          headers: { "sec-fetch-site": "same-origin", "x-forwarded-for": address },
        })
      ).status
    for (let tries = 0; tries < 10; tries++)
      assert.strictEqual(await statusFrom("203.0.113.7"), 401)
    assert.strictEqual(await statusFrom("203.0.113.7"), 429)
    assert.strictEqual(await statusFrom("203.0.113.8"), 401)
  })

  it("loads its files behind a proxy that strips a prefix", async () => {
    const { listener } = countersign.admin({
      ...options(),
      authorize: () => ({ actor: { id: "olga" }, roles: ["viewer"] }),
    })
    const proxy: RequestListener = (request, response) => {
      request.url = request.url?.replace(/^\/tools\/sms/, "/dashboard") ?? "/"
      listener(request, response)
    }
    using server = await serving(proxy)
    const root = server.base.replace("/dashboard", "/tools/sms")
    for (const path of ["/", "/org/default", "/org/default/verifications/7"]) {
      const page = `${root}${path}`
      const assets = assetsOf(page, await (await fetch(page)).text())
      assert.isAbove(assets.length, 3)
      for (const asset of assets) {
        assert.isTrue(asset.startsWith(`${root}/assets/`), asset)
        assert.strictEqual((await fetch(asset)).status, 200)
      }
    }
  })

  it("answers a missing file with 404, never with a page", async () => {
    using server = await serving(countersign.admin(options()).listener)
    assert.strictEqual(
      (await fetch(`${server.base}/assets/main-old.js`, { headers: html })).status,
      404,
    )
  })
})
