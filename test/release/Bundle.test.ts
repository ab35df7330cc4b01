/**
 * What a Worker loads: that it needs nothing of Node, that it runs there, and how large it is.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@countersign/client"
import { assert, beforeAll, describe, test } from "vitest"
import { bundle, type Bundle, type Chunk, sizeOf, statedSizes } from "../tools/bundles.ts"
import { root } from "../tools/paths.ts"
import { serveInWorkerd } from "../tools/workerd.ts"

const stated = statedSizes(readFileSync(join(root, "docs/performance.md"), "utf8"))

/** By how much a size may leave the one that is stated. */
const tolerance = 0.04

const assertStated = (what: string, chunk: Chunk | undefined): void => {
  assert.isDefined(chunk, what)
  const size = sizeOf(chunk)
  const expected = stated.get(what)
  const seen = `${what}: ${JSON.stringify(size)}; stated: ${JSON.stringify(expected)}`
  assert.isDefined(expected, seen)
  for (const measure of ["minified", "gzip", "brotli"] as const) {
    // Rounding leaves small ones by more than that.
    const delta = Math.max(1, expected[measure] * tolerance)
    assert.approximately(size[measure], expected[measure], delta, seen)
  }
}

const source = `export { default } from "./tools/bundled/worker.ts"`

describe("the engine in a Worker", () => {
  let worker: Bundle
  beforeAll(async () => {
    worker = await bundle(source)
  })

  test("is bundled without the page that documents the interface", () => {
    assert.lengthOf(worker.others, 1)
    assert.deepStrictEqual(worker.entry.imports, [])
    assert.deepStrictEqual(
      worker.entry.lazyImports,
      worker.others.map(({ name }) => name),
    )
  })

  test("is as large as the documents say", async () => {
    assertStated("core and http", worker.entry)
    assertStated("the page at `/docs`, loaded for its first reader", worker.others[0])
    assertStated("both in one file", (await bundle(source, false)).entry)
  })

  test("sends a code and checks it in the runtime of Workers", async () => {
    await using running = await serveInWorkerd(worker)
    const get = async (path: string): Promise<string> =>
      (await fetch(`${running.origin}${path}`)).text()
    const apiKey = await get("/key")
    const client = createClient({ baseUrl: `${running.origin}/api/v2`, apiKey })
    const sent = await client.verifications.send({ phoneNumber: "+8801712345678" })
    assert.isTrue(sent.ok, JSON.stringify(sent))
    const requestId = sent.ok ? sent.data.requestId : ""
    const wrong = await client.verifications.check({ requestId, code: "not it" })
    const code = /\d{6}/.exec(await get("/inbox"))?.[0] ?? ""
    const checked = await client.verifications.check({ requestId, code })
    assert.deepStrictEqual(
      [wrong.ok ? wrong.data.status : wrong.error.type, checked.ok && checked.data.status],
      ["wrong_code", "verified"],
    )
    assert.match(await get("/api/v2/docs"), /^<!doctype html>/i)
  })
})

test("the client is as large as the documents say", async () => {
  const { entry, others } = await bundle(`export * from "@countersign/client"`)
  assert.deepStrictEqual(others, [])
  assertStated("the client alone", entry)
})

test("a module of Node is an error, wherever it is imported", async () => {
  const error = await bundle(`export * from "@countersign/node"`).catch((cause: unknown) => cause)
  assert.match(String(error), /Could not resolve "node:/)
})
