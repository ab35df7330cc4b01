import { assert, test } from "vitest"
import { isOwnHost, isOwnOrigin } from "../src/internal/routes.ts"

test.each([
  ["127.0.0.1:3000", [], true],
  ["localhost", [], true],
  ["LOCALHOST:80", [], true],
  ["shop.localhost:3000", [], true],
  ["[::1]:3000", [], true],
  ["192.168.1.5:3000", ["0.0.0.0"], true],
  ["devbox.lan:3000", ["devbox.lan"], true],
  ["devbox.lan:3000", ["DevBox.lan"], true],
  ["devbox.lan:3000", ["0.0.0.0"], false],
  ["rebound.example", ["127.0.0.1"], false],
  ["127.0.0.1.rebound.example", [], false],
  ["localhost.rebound.example", [], false],
  ["rebound.example#localhost", [], false],
  ["", [""], false],
  [undefined, [], false],
] as const)("Host %s, with the hosts %j: %s", (header, hosts, expected) => {
  assert.strictEqual(isOwnHost(header, hosts), expected)
})

test.each([
  [undefined, "127.0.0.1:3000", true],
  ["http://127.0.0.1:3000", "127.0.0.1:3000", true],
  ["http://localhost:3000", "LOCALHOST:3000", true],
  ["http://[::1]:3000", "[::1]:3000", true],
  ["http://127.0.0.1:3001", "127.0.0.1:3000", false],
  ["http://other.example", "127.0.0.1:3000", false],
  ["http://127.0.0.1:3000.other.example", "127.0.0.1:3000", false],
  ["null", "127.0.0.1:3000", false],
  ["", "127.0.0.1:3000", false],
] as const)("Origin %s, at %s: %s", (origin, host, expected) => {
  assert.strictEqual(isOwnOrigin(origin, host), expected)
})
