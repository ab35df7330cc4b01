import { assert, test } from "vitest"
import { clientOf } from "../src/client.ts"

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:db8::2", "2001:db8:0:0"],
  ["2001:db8::1:2:3:4:5", "2001:db8:0:1"],
  ["::1", "0:0:0:0"],
])("the client at %s is %s", (address, client) => {
  assert.strictEqual(clientOf(address), client)
})
