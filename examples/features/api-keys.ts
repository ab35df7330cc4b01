/** A key of the HTTP interface has scopes and an expiry, and is replaced. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})
const { apiKeys } = countersign

const accounting = await apiKeys.create({
  name: "accounting",
  scopes: ["balance:read", "messages:read"],
  expiresAt: new Date(Date.now() + 90 * 24 * 60 * 60 * 1_000),
})
const statusOf = async (key: string, path: string) => {
  const headers = { authorization: `Bearer ${key}` }
  const url = `https://example.com/api/v2${path}`
  return (await countersign.fetch(new Request(url, { headers }))).status
}
assert.equal(await statusOf(accounting.key, "/balance"), 200)
assert.equal(await statusOf(accounting.key, "/verify/vrf_1"), 403)

// Replaces it: both keys work until the other service has the new one.
const next = await apiKeys.create({ name: "accounting, 2027-02", scopes: accounting.scopes ?? [] })
assert.equal(await statusOf(next.key, "/balance"), 200)
await apiKeys.revoke({ id: accounting.id })
assert.equal(await statusOf(accounting.key, "/balance"), 401)
