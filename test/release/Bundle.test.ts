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

const stated = statedSizes(readFileSync(join(root, "docs/guides/runtimes.md"), "utf8"))

/** By how much a size may leave the one that is stated. */
const tolerance = 0.04

const assertStated = (what: string, ...chunks: ReadonlyArray<Chunk>): void => {
  assert.isNotEmpty(chunks, what)
  const size = sizeOf(chunks)
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
  let loaded: ReadonlyArray<Chunk>
  beforeAll(async () => {
    worker = await bundle(source)
    loaded = [
      worker.entry,
      ...worker.others.filter(({ name }) => worker.entry.imports.includes(name)),
    ]
  })

  const lazy = (name: string): ReadonlyArray<Chunk> =>
    worker.others.filter((chunk) => chunk.name.startsWith(`${name}-`))

  test("is bundled without the OpenAPI documents, which load for the first reader", () => {
    const names = (chunks: ReadonlyArray<Chunk>) => chunks.map(({ name }) => name)
    const documentation = lazy("documentation")
    // The format of metrics loads for the first scrape.
    const format = lazy("PrometheusMetrics")
    assert.lengthOf(format, 1)
    assert.lengthOf(worker.others, loaded.length + 2)
    assert.sameMembers(
      loaded.flatMap(({ lazyImports }) => lazyImports),
      names([...documentation, ...format]),
    )
    assert.deepStrictEqual(
      documentation.flatMap(({ lazyImports }) => lazyImports),
      names(lazy("httpApiScalar")),
    )
  })

  test("has the documented size", async () => {
    assertStated("core and http", ...loaded)
    assertStated("the description of the interface, loaded on demand", ...lazy("documentation"))
    assertStated("the page at `/docs`, loaded on demand", ...lazy("httpApiScalar"))
    assertStated("all of it in one file", (await bundle(source, false)).entry)
  })

  test("sends and checks a code in the runtime of Workers", async () => {
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
      [wrong.ok ? wrong.data.status : wrong.error.code, checked.ok && checked.data.status],
      ["wrong_code", "verified"],
    )
    assert.match(await get("/api/v2/docs"), /^<!doctype html>/i)
  })
})

test("the client has the documented size", async () => {
  const { entry, others } = await bundle(`export * from "@countersign/client"`)
  assert.deepStrictEqual(others, [])
  assertStated("the client alone", entry)
})

test("the verifier of proofs is bundled without a module of Node", async () => {
  const { others } = await bundle(`export * from "@countersign/proofs/ProofVerifier"`)
  assert.deepStrictEqual(others, [])
})

test("the phone numbers of pages are bundled without a module of Node, and without Effect", async () => {
  const { entry, others } = await bundle(`export * from "countersign/phone"`)
  assert.deepStrictEqual(others, [])
  // Of which libphonenumber-js takes 194 kB, 49 kB with gzip.
  const { gzip, minified } = sizeOf([entry])
  assert.isBelow(minified, 200)
  assert.isBelow(gzip, 52)
})

test("the dashboard is bundled with its pages, without a module of Node", async () => {
  const { entry, others } = await bundle(`export * from "@countersign/dashboard"`)
  assert.deepStrictEqual(entry.imports, [])
  assert.deepStrictEqual(
    entry.lazyImports,
    others.map(({ name }) => name),
  )
  assert.lengthOf(others, 1)
})

test("an import of a Node module is an error in any file", async () => {
  const error = await bundle(`export * from "@countersign/node"`).catch((cause: unknown) => cause)
  assert.match(String(error), /Could not resolve "node:/)
})
