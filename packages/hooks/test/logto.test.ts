import { assert, describe, it } from "vitest"
import { logtoSmsHook } from "../src/index.ts"
import { bearer, host, phoneNumber, post, token } from "./support/host.ts"

const setUp = async (...given: Parameters<typeof host>) => {
  const { clock, engine, sent } = await host(...given)
  const hook = logtoSmsHook(engine, {
    token: ["an earlier token", token],
    text: ({ code, link, locale, type }) => `${code ?? link} ${type} ${locale}`,
    clock,
  })
  const call = (payload: object, headers: Readonly<Record<string, string>> = bearer) =>
    post(hook, JSON.stringify({ to: "8801712345678", type: "SignIn", payload }), headers)
  return { call, sent }
}

describe("the hook of Logto", () => {
  it("carries a code or a link once", async () => {
    const { call, sent } = await setUp()
    const code = { code: "123456", locale: "bn-BD" }
    for (const payload of [code, code, { link: "https://acme.example/1", locale: "en" }]) {
      assert.deepStrictEqual(await call(payload), { status: 200, body: {} })
    }
    assert.deepStrictEqual(sent(), [
      `${phoneNumber} 123456 SignIn bn-BD`,
      `${phoneNumber} https://acme.example/1 SignIn en`,
    ])
  })

  it.each([
    {},
    { authorization: "" },
    { authorization: token },
    { authorization: "Bearer another token" },
    { authorization: `Basic ${token}` },
  ])("refuses a request with the headers %j", async (headers) => {
    const { call, sent } = await setUp()
    assert.strictEqual((await call({ code: "1" }, headers)).status, 401)
    assert.deepStrictEqual(sent(), [])
  })

  it("answers with the error of the engine", async () => {
    const { call } = await setUp({ limits: { messagesPerOrganization: { max: 0, per: "1 hour" } } })
    const { body, status } = await call({ code: "123456" })
    assert.strictEqual(status, 429)
    assert.deepInclude(body, { code: "rate_limited" })
  })
})
