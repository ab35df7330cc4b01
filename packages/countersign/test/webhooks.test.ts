import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { failure } from "./support/values.ts"
import { hosts } from "./support/host.ts"

const { host } = hosts()

describe("webhooks", () => {
  it("are left to other processes by a process that does not deliver", async () => {
    const { engine } = await host({ database: "memory", webhooks: { deliver: false } })
    const { id } = await engine.webhooks.create({ url: "https://example.com" })
    assert.deepInclude(await engine.webhooks.sendTest({ id }), { isDelivered: false })
  })

  it("go to public addresses over https only, unless the host allows more", async () => {
    const { engine } = await host({ database: "memory" })
    const problems = async (url: string) => {
      const error = await failure(engine.webhooks.create({ url }))
      assert.instanceOf(error, Countersign.InvalidRequestError)
      return error.details["url"]?.map(({ message }) => message)
    }
    assert.deepStrictEqual(await problems("http://example.com"), ["must use https"])
    assert.deepStrictEqual(await problems("https://127.0.0.1"), ["The address is not public"])
    const { id } = await engine.webhooks.create({ url: "https://localhost:1/hook" })
    assert.deepStrictEqual(await engine.webhooks.sendTest({ id }), {
      isDelivered: false,
      error: "The address is not public",
    })
  })
})
