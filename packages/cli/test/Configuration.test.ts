/** The vendors that a configuration may name are those of the other commands. */
import { configSchema } from "countersign/serve"
import { assert, test } from "vitest"
import { names } from "../src/internal/vendors.ts"

test("the schema of a configuration has every vendor that the other commands know", async () => {
  const text = JSON.stringify(await configSchema())
  const named = [...text.matchAll(/"vendor":\{"const":"([\w-]+)"\}/g)].map(([, name]) => name)
  assert.sameMembers(named, [...names])
})
