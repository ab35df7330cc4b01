import { once } from "node:events"
import { createServer } from "node:http"
import { assert, describe, it } from "vitest"
import { lazyMount } from "../../src/internal/engine/lazyMount.ts"

describe("a mount that cannot be made", () => {
  it("reports why, answers 503, and does not end the process", async () => {
    const reported: Array<unknown> = []
    const error = new Error("no such module")
    const mount = lazyMount(
      () => Promise.reject(error),
      async () => undefined,
      (one) => reported.push(one),
    )
    // Made by the first request.
    assert.deepStrictEqual(reported, [])
    const server = createServer(mount.listener).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    assert.strictEqual((await fetch(`http://127.0.0.1:${port}/`)).status, 503)
    const failure = await mount.fetch(new Request("http://admin.test/")).then(
      () => "no failure",
      (error: unknown) => String(error),
    )
    assert.include(failure, "no such module")
    assert.deepStrictEqual(reported, [error])
    server.close()
  })
})
