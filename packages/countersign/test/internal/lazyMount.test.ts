import { once } from "node:events"
import { createServer } from "node:http"
import { assert, describe, it } from "vitest"
import { lazyMount } from "../../src/internal/engine/lazyMount.ts"

describe("a mount that cannot be made", () => {
  it("answers 503, and does not end the process", async () => {
    const mount = lazyMount(Promise.reject(new Error("no such module")), async () => undefined)
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
    server.close()
  })
})
