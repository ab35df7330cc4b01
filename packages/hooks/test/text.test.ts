import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "vitest"
import { kratosSmsHook, textSmsHook } from "../src/index.ts"
import { bearer, host, phoneNumber, post, serve, token } from "./support/host.ts"

const message = { to: phoneNumber, text: "123456 is your code." }

const none = { messagesPerOrganization: { max: 0, per: "1 hour" } } as const

const form = { ...bearer, "content-type": "application/x-www-form-urlencoded; charset=utf-8" }

describe("the hook for texts", () => {
  it("carries JSON and forms, and recognizes repeats by their id or by their content", async () => {
    const { clock, engine, sent } = await host()
    const hook = textSmsHook(engine, { token, clock })
    const calls = [
      post(hook, JSON.stringify(message), bearer),
      post(hook, new URLSearchParams({ ...message, sender: "", id: "" }).toString(), form),
      post(hook, JSON.stringify({ ...message, id: "1" }), bearer),
      post(hook, JSON.stringify({ ...message, id: "1", text: "Another text" }), bearer),
    ]
    for (const call of calls) assert.deepStrictEqual(await call, { status: 200, body: {} })
    assert.lengthOf(sent(), 2)
  })

  it("sends at the cost and with the sender of an organization", async () => {
    const { engine } = await host({ prices: { sms: "1" } })
    const senders = { sms: "8809612345678" }
    await engine.organizations.create({ id: "acme", senders })
    const acme = engine.organization("acme")
    await acme.account.topUp({ amount: "5" })
    const hook = textSmsHook(acme, { token })
    assert.strictEqual((await post(hook, JSON.stringify(message), bearer)).status, 200)
    const { items } = await acme.messages.list()
    assert.deepStrictEqual(
      items.map(({ price, sender }) => [price, sender]),
      [["1.00", senders.sms]],
    )
  })

  it("refuses a field that it does not know", async () => {
    const { engine } = await host()
    const hook = textSmsHook(engine, { token })
    for (const given of [{ ...message, txt: "1" }, { to: phoneNumber }, [], null]) {
      assert.strictEqual((await post(hook, JSON.stringify(given), bearer)).status, 400)
    }
  })

  it("takes a body that the host has parsed", async () => {
    const { engine, sent } = await host()
    const hook = textSmsHook(engine, { token })
    const request = () => new Request("https://example.com/", { method: "POST", headers: bearer })
    for (const body of [message, JSON.stringify(message), Buffer.from(JSON.stringify(message))]) {
      assert.strictEqual((await hook.handle(request(), { body })).status, 200)
    }
    assert.lengthOf(sent(), 1)
  })
})

/** The fields that Kratos gives to the template of a body. */
const kratos = {
  recipient: phoneNumber,
  body: "123456 is your code.",
  template_type: "login_code_valid",
  template_data: { To: phoneNumber, LoginCode: "123456", Identity: null },
  message_type: "sms",
}

/** The body that the template makes. Its object is one of JavaScript as well. */
const kratosBody = (): string => {
  const template = readFileSync(new URL("../servers/kratos.jsonnet", import.meta.url), "utf8")
  const [, object = ""] = /^function\(ctx\) (\{[^]*\})$/m.exec(template.trim()) ?? []
  return JSON.stringify(runInNewContext(`(${object})`, { ctx: kratos }))
}

describe("the hook of Ory Kratos", () => {
  it("carries the body of the template once, however often Kratos repeats it", async () => {
    const { engine, sent } = await host()
    const hook = kratosSmsHook(engine, { token })
    for (let attempt = 0; attempt < 18; attempt++) {
      const answer = await post(hook, kratosBody(), bearer)
      assert.deepStrictEqual(answer, { status: 200, body: {} })
    }
    assert.deepStrictEqual(sent(), [`${phoneNumber} 123456 is your code.`])
  })

  it("accepts what cannot be sent, so that Kratos does not repeat it", async () => {
    const { engine, sent } = await host({ limits: none })
    const hook = kratosSmsHook(engine, { token })
    const { body, status } = await post(hook, JSON.stringify(message), bearer)
    assert.strictEqual(status, 200)
    assert.deepInclude(Reflect.get(Object(body), "error"), { code: "rate_limited" })
    assert.deepStrictEqual(sent(), [])
    assert.strictEqual((await post(hook, JSON.stringify(message))).status, 401)
  })

  it("refuses what a repeat can send", async () => {
    const { engine } = await host()
    const hook = kratosSmsHook(engine, { token })
    await engine.dispose()
    assert.strictEqual((await post(hook, JSON.stringify(message), bearer)).status, 503)
  })
})

describe("the Action of Auth0", () => {
  const action: unknown = createRequire(import.meta.url)("../servers/auth0-action.cjs")

  const notification = {
    recipient: "+880 1712-345678",
    as_text: "123456 is your code.",
    code: "123456",
    delivery_method: "text",
    message_type: "otp_verify",
  }

  /** Runs the Action for a hook at an address. */
  const run = async (url: string, given: object = {}): Promise<ReadonlyArray<string>> => {
    const calls: Array<string> = []
    const perform: unknown = Reflect.get(Object(action), "onExecuteCustomPhoneProvider")
    if (typeof perform !== "function") assert.fail("the Action exports no handler")
    await perform(
      {
        notification: { ...notification, ...given },
        secrets: { HOOK_URL: url, HOOK_TOKEN: token },
        transaction: { correlation_id: "c1" },
      },
      {
        notification: {
          retry: (reason: string) => calls.push(`retry: ${reason}`),
          drop: (reason: string) => calls.push(`drop: ${reason}`),
        },
      },
    )
    return calls
  }

  it("passes the text on once", async () => {
    const { engine, sent } = await host()
    const { stop, url } = await serve(textSmsHook(engine, { token }).listener)
    for (let repeat = 0; repeat < 2; repeat++) assert.deepStrictEqual(await run(url), [])
    assert.deepStrictEqual(sent(), [`${phoneNumber} 123456 is your code.`])
    await stop()
    assert.deepStrictEqual(await run(url), ["retry: Countersign has answered nothing"])
  })

  it("drops what no repeat can send, and repeats the rest", async () => {
    const { engine } = await host({ limits: none })
    const { url } = await serve(textSmsHook(engine, { token }).listener)
    assert.deepStrictEqual(await run(url), ["drop: Countersign has answered 429"])
    const voice = await run(url, { delivery_method: "voice" })
    assert.deepStrictEqual(voice, ["drop: This provider makes no calls"])
    await engine.dispose()
    const later = await run(url, { code: "654321" })
    assert.deepStrictEqual(later, ["retry: Countersign has answered 503"])
  })
})
