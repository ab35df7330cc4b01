import { assert, describe, test } from "vitest"
import { Parameters } from "./floorConnection.ts"

/** More than the first buffer has room for. */
const count = 6_000

describe("the parameters of the floor", () => {
  // Each length of the name fills the buffer at another place of a value.
  test.each(Array.from({ length: 12 }, (_, length) => "n".repeat(length)))(
    'make a Bind message for the statement "%s"',
    (name) => {
      const parameters = new Parameters()
      parameters.begin(name)
      parameters.int8(-2)
      parameters.int8s(Array.from({ length: count }, () => 2 ** 40 + 1))
      parameters.texts(["é", ""])
      parameters.byteas([])
      const message = parameters.finish()
      const head = 1 + 4 + 1 + name.length + 1
      const scalar = 2 + 2 + 2 + 12
      const int8s = 4 + 20 + 12 * count
      const others = 4 + 20 + 6 + 4 + (4 + 12)
      // The formats of the results, Execute and Sync follow.
      const end = head + scalar + int8s + others + 2
      assert.strictEqual(message.toString("latin1", 0, 1), "B")
      assert.strictEqual(message.readInt32BE(1), end - 1)
      assert.strictEqual(message.toString("latin1", 5, head), `\0${name}\0`)
      // One format, which is binary, for four parameters.
      assert.deepEqual(
        [0, 2, 4].map((at) => message.readInt16BE(head + at)),
        [1, 1, 4],
      )
      assert.strictEqual(message.readBigInt64BE(head + scalar - 8), -2n)
      assert.strictEqual(message.readBigInt64BE(head + scalar + int8s - 8), 2n ** 40n + 1n)
      assert.strictEqual(message.toString("latin1", end, end + 1), "E")
      assert.strictEqual(message.length, end + 15)
    },
  )
})
