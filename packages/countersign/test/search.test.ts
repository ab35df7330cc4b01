import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, untyped } from "./support/values.ts"

const { host } = hosts()

describe("a page of keys or senders", () => {
  it("begins after an id, in the order of creation", async () => {
    const { engine } = await host({ database: "memory" })
    for (let index = 0; index < 102; index++) await engine.apiKeys.create({ name: `key ${index}` })
    for (const sender of ["ONE", "TWO", "SIX"])
      await engine.senders.create({ kind: "masking", value: sender })
    const { items: senders } = await engine.senders.list()
    const { items: keys } = await engine.apiKeys.list({ limit: 1_000 })
    assert.lengthOf(keys, 102)
    assert.deepStrictEqual((await engine.apiKeys.list()).items, keys.slice(0, 100))
    for (const [service, all] of [
      [engine.apiKeys, keys],
      [engine.senders, senders],
    ] as const) {
      const page = await service.list({ limit: 1 })
      const next = await service.list({ cursor: page.next ?? "", limit: 1 })
      assert.deepStrictEqual<unknown>([...page.items, ...next.items], all.slice(0, 2))
      const found = []
      for await (const { id } of service.list({ limit: 2 })) found.push(id)
      assert.deepStrictEqual(
        found,
        all.map(({ id }) => id),
      )
      assert.deepStrictEqual((await service.list({ cursor: "another" })).items, [])
      const error = await failure(service.list(untyped({ limit: "5" })))
      assert.instanceOf(error, Countersign.InvalidRequestError)
    }
  })
})
