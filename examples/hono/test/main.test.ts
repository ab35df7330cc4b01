import { createCountersign, developmentGateway } from "countersign"
import { assert, test } from "vitest"
import { numbersSuite, COUNTERSIGN_SECRET } from "../../../test/support/numbersSuite.ts"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"
import { makeApp } from "../src/app.ts"

const make = temporaryDatabases()

numbersSuite("hono")

test("is the same app without a server", async () => {
  const printed: Array<string> = []
  const shown = developmentGateway(({ text }) => void printed.push(text))
  await using countersign = await createCountersign({
    database: await make(),
    secret: COUNTERSIGN_SECRET,
    gateways: { sms: shown },
  })
  const app = makeApp({ countersign, clientAddress: () => "203.0.113.7" })
  const headers = { "content-type": "application/json" }
  const ask = (path: string, body: unknown, cookie = ""): Promise<Response> => {
    const request = { method: "POST", headers: { ...headers, cookie }, body: JSON.stringify(body) }
    return Promise.resolve(app.fetch(new Request(`https://example.com${path}`, request)))
  }
  const phoneNumber = "+8801712400007"
  const cookie = (await ask("/numbers/start", { phoneNumber })).headers.get("set-cookie") ?? ""
  const [code] = /\d{6}/.exec(printed[0] ?? "") ?? []
  const confirmed = await ask("/numbers/check", { code }, cookie.split(";")[0])
  assert.deepInclude(await confirmed.json(), { phoneNumber })
  assert.strictEqual((await app.request("/api/v2/balance")).status, 401)
})

test("passes on the client's address, which allow lists use", async () => {
  await using countersign = await createCountersign({
    database: await make(),
    secret: COUNTERSIGN_SECRET,
    gateways: { sms: developmentGateway() },
  })
  await countersign.organizations.update({ id: "default", allowList: ["203.0.113.0/24"] })
  const { key } = await countersign.apiKeys.create({ name: "for this test" })
  const send = async (address: string): Promise<number> => {
    const app = makeApp({ countersign, clientAddress: () => address })
    const { status } = await app.request("/api/v2/messages", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ to: "8801712400008", message: "Hello" }),
    })
    return status
  }
  assert.deepStrictEqual([await send("203.0.113.7"), await send("198.51.100.7")], [200, 403])
})
