/** A page signs a user in, over the endpoints of a login. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"
import { createLogin } from "countersign/login"

const gateway = developmentGateway()
await using countersign = await createCountersign({
  database: "memory",
  gateways: [gateway],
  limits: { sendsPerClient: { max: 20, per: "10 minutes" } },
})
const login = createLogin(countersign, {
  country: "BD",
  onVerified: ({ phoneNumber }) => Response.json({ signedIn: phoneNumber }), // begin a session here
})

// What a browser does. It keeps the cookie.
let cookie = ""
const post = async (path: string, body: object) => {
  const headers = { "content-type": "application/json", cookie }
  const init = { method: "POST", headers, body: JSON.stringify(body) }
  const response = await login.fetch(new Request(`https://example.com/login${path}`, init))
  cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie
  const answer: Record<string, unknown> = await response.json()
  return [response.status, answer["code"] ?? answer["status"] ?? answer["signedIn"]]
}
assert.deepEqual(await post("/start", { phoneNumber: "01712" }), [400, "invalid_request"])
assert.deepEqual(await post("/start", { phoneNumber: "01712-345678" }), [200, "waiting"])
assert.deepEqual(await post("/check", { code: "wrong" }), [400, "wrong_code"])
const code = gateway.latestCode("+8801712345678")
assert.deepEqual(await post("/check", { code }), [200, "+8801712345678"])
assert.deepEqual(await post("/check", { code }), [404, "request_not_found"])
