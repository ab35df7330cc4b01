import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import * as IpBlock from "../../../src/domain/values/IpBlock.ts"

const contains = (block: string, address: string): boolean => {
  const read = IpBlock.readAddress(address)
  return read !== undefined && IpBlock.someContains([Result.getOrThrow(IpBlock.read(block))], read)
}

describe("a block", () => {
  it.each([
    ["10.0.0.0/8", "10.1.2.3", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["::ffff:10.0.0.0/104", "10.1.2.3", true],
    ["::ffff:10.0.0.0/104", "11.0.0.1", false],
    ["203.0.113.7", "203.0.113.7", true],
    ["203.0.113.7", "203.0.113.8", false],
    ["2001:db8::/32", "2001:db8::7", true],
    ["2001:db8::/32", "10.0.0.1", false],
  ])("%s contains %s: %s", (block, address, expected) => {
    assert.strictEqual(contains(block, address), expected)
  })

  it("that cannot be parsed is named", () => {
    assert.deepStrictEqual(
      IpBlock.read("10.0.0.0/33"),
      Result.fail(FieldProblem.make("not_ip_block", { entry: "10.0.0.0/33" })),
    )
  })
})
