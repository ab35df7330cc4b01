import { globSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { storeNames } from "../support/ContractSubject.ts"
import { mounts } from "../support/mounts.ts"
import { root } from "../tools/paths.ts"

const selected = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
  .flatMap((source) => [...source.matchAll(/ContractSubject\.layer\("(\w+)"(?:, "(\w+)")?\)/g)])
  .map(([, store = "", mount = "node"]) => ({ store, mount }))

describe("the HTTP contract", () => {
  it("runs each store once, on the quickstart's mount", () => {
    const stores = selected.filter(({ mount }) => mount === "node").map(({ store }) => store)
    assert.sameMembers(stores, storeNames)
  })

  it("runs each mount once, on the memory store", () => {
    const names = selected.filter(({ store }) => store === "memory").map(({ mount }) => mount)
    assert.sameMembers(names, Object.keys(mounts))
  })

  it("includes every package that is a mount", () => {
    const packages = globSync("packages/*/package.json", { cwd: root })
      .filter((file) => readFileSync(join(root, file), "utf8").includes('"mount"'))
      .map((file) => basename(dirname(file)))
    assert.includeMembers(Object.keys(mounts), packages)
    assert.includeMembers(packages, ["express", "fastify", "hono", "node", "http"])
  })
})
