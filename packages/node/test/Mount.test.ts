import { assert, test } from "vitest"
import * as RequestContext from "@countersign/http/mount/RequestContext"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import * as Loopback from "../../../test/support/loopback.ts"
import * as Mount from "../src/Mount.ts"

/** Answers with the base path and the URL, as the application sees them. */
const echo = Effect.map(HttpServerRequest, (request) =>
  HttpServerResponse.text(`${RequestContext.of(request).basePath ?? "none"} ${request.url}`),
)

const made = async (handler: Parameters<typeof Mount.make>[0]) => {
  const scope = Scope.makeUnsafe()
  const mount = await Effect.runPromise(Mount.make(handler).pipe(Scope.provide(scope)))
  return { mount, end: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

test("an application sees the same request through fetch, handle and the listener", async () => {
  const { end, mount } = await made(echo)
  const url = "http://localhost/dev/page?a=b"
  const text = async (answer: Response | Promise<Response>) => (await answer).text()
  assert.strictEqual(await text(mount.fetch(new Request(url))), "none /dev/page?a=b")
  const handled = mount.handle(new Request(url), { basePath: "/dev" })
  assert.strictEqual(await text(handled), "/dev /dev/page?a=b")
  const server = createServer((request, response) =>
    mount.listener(request, response, { basePath: "/dev" }),
  )
  const heard = fetch(`http://127.0.0.1:${await Loopback.listen(server)}/dev/page?a=b`)
  assert.strictEqual(await text(heard), "/dev /dev/page?a=b")
  Loopback.end(server)
  await end()
})
