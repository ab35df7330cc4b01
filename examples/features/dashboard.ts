/** Your own login protects the dashboard. */
import assert from "node:assert/strict"
import { dashboard } from "@countersign/dashboard"
import { createCountersign, developmentGateway, type Principal } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})

// What your app knows of its users. A user with an organization is a tenant, and sees this one only.
const users = new Map<string, Principal>([
  ["session=s1", { actor: { id: "olga" }, roles: ["operator"] }],
  ["session=s2", { actor: { id: "tariq" }, roles: ["support"], organizations: ["default"] }],
])
const admin = countersign.admin({
  basePath: "/dashboard",
  pages: dashboard({ signOutUrl: "/logout" }),
  authorize: ({ headers, method }) => {
    const user = users.get(headers.get("cookie") ?? "")
    if (user !== undefined) return user
    const wantsPage = method === "GET" && headers.get("accept")?.includes("text/html")
    return wantsPage ? Response.redirect("https://example.com/login") : undefined
  },
})

const statusOf = async (path: string, headers: Record<string, string>) =>
  (await admin.fetch(new Request(`https://example.com/dashboard${path}`, { headers }))).status
assert.equal(await statusOf("/", { accept: "text/html" }), 302)
assert.equal(await statusOf("/api/session", {}), 401)
assert.equal(await statusOf("/", { accept: "text/html", cookie: "session=s1" }), 200)
assert.equal(await statusOf("/api/organizations/other/balance", { cookie: "session=s2" }), 404)
