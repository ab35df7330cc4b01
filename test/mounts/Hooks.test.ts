/**
 * The hooks of `@countersign/hooks` on every framework, and on several nodes.
 */
import { supabaseSmsHook } from "@countersign/hooks"
import { type CountersignOptions, createCountersign, developmentGateway } from "countersign"
import { Webhook } from "standardwebhooks"
import { assert, describe, it } from "vitest"
import { mountsAt, quietEngine, serving } from "../support/adminMounts.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"

const path = "/hooks/sms"

const secret = `whsec_${Buffer.from("the secret of a hook, for tests").toString("base64")}`

const text = ({ code }: { readonly code: string }): string => `${code} is your code.`

const body = JSON.stringify({
  metadata: { uuid: "8f2b" },
  sms: { otp: "123456", phone: "8801712345678" },
})

const request = (): RequestInit => {
  const now = new Date()
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", now, body),
    },
  }
}

const hookOf = (engine: Parameters<typeof supabaseSmsHook>[0]) =>
  supabaseSmsHook(engine, { secrets: `v1,${secret}`, text })

const { "express behind express.json()": parsed, ...mounts } = mountsAt(path)

describe("a hook", () => {
  it.each(Object.entries(mounts))("reads signed bytes on %s", async (_, mount) => {
    const gateway = developmentGateway()
    await using engine = await quietEngine({ gateways: [gateway] })
    const hook = hookOf(engine)
    using server = await serving(await mount(hook))
    const response = await fetch(new URL(path, server.base), request())
    assert.strictEqual(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
    assert.deepStrictEqual(await response.json(), {})
    assert.lengthOf(gateway.messages(), 1)
    await hook.dispose()
  })

  it("says that a parser of bodies has taken the bytes that are signed", async () => {
    const gateway = developmentGateway()
    await using engine = await quietEngine({ gateways: [gateway] })
    using server = await serving(parsed(hookOf(engine)))
    const response = await fetch(new URL(path, server.base), request())
    assert.strictEqual(response.status, 500)
    assert.deepInclude(await response.json(), { code: "body_lost" })
    assert.deepStrictEqual(gateway.messages(), [])
  })

  describe("on several nodes with one database", () => {
    const database = temporaryDatabases()

    it("carries a code once, although both get it at the same time", async () => {
      const gateway = developmentGateway()
      const options: CountersignOptions = {
        database: await database(),
        secret: "a secret for tests, and only for tests",
        gateways: [gateway],
        log: () => {},
      }
      await using one = await createCountersign(options)
      await using other = await createCountersign(options)
      const hooks = [one, other, one, other].map(hookOf)
      const answers = await Promise.all(
        hooks.map(async (hook) => {
          const response = await hook.fetch(new Request(`https://example.com${path}`, request()))
          return response.json()
        }),
      )
      assert.deepStrictEqual(answers, [{}, {}, {}, {}])
      assert.lengthOf(gateway.messages(), 1)
    })
  })
})
