/** Operators and tenants use the admin API with your own sessions. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway, type Principal } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})

// Your own sessions, by the cookie of the request. A user with an organization sees only that one.
const sessions = new Map<string, Principal>([
  ["session=s1", { actor: { id: "olga", origin: "192.0.2.1" }, roles: ["operator"] }],
  ["session=s2", { actor: { id: "tariq" }, roles: ["viewer"], organizations: ["default"] }],
])
const admin = countersign.admin({
  basePath: "/admin",
  authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
})

const call = async (cookie: string, path: string, body?: object) => {
  const url = `https://example.com/admin/api/organizations/default${path}`
  // A browser sends `sec-fetch-site`, and no page can set it.
  const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" }
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const response = await admin.fetch(new Request(url, { headers, ...init }))
  return { status: response.status, ...(await response.json()) }
}

const payment = { amount: "10", note: "paid", paymentId: "p-1" }
const { balance, entry, isRepeat } = await call("session=s1", "/top-ups", payment)
assert.deepEqual([balance, entry.actor, isRepeat], ["10.00", "olga", false])
assert.equal((await call("session=s1", "/top-ups", payment)).isRepeat, true)

const money = { balance: "10.00", held: "0.00", currency: "BDT" }
assert.deepEqual(await call("session=s2", "/balance"), { status: 200, ...money })
assert.equal((await call("session=s2", "/top-ups", payment)).code, "forbidden")
assert.equal((await call("session=s3", "/balance")).code, "unauthorized")
