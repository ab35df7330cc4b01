import { assert, describe, it } from "@effect/vitest"
import * as ClientAddress from "../../src/mount/ClientAddress.ts"

const proxies = ClientAddress.trustedProxies(["10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48"])

const behindProxies: ReadonlyArray<
  readonly [why: string, peer: string | undefined, forwarded: string | undefined, client: string]
> = [
  ["nothing is known of the peer", undefined, "203.0.113.7", ""],
  ["the peer is no proxy", "203.0.113.9", undefined, "203.0.113.9"],
  ["the peer is no proxy, with any header", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["the proxy says nothing", "10.1.2.3", undefined, "10.1.2.3"],
  ["the proxy says nothing at length", "10.1.2.3", "", "10.1.2.3"],
  ["the proxy names the client", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["the client has put another name first", "10.1.2.3", "6.6.6.6, 198.51.100.1", "198.51.100.1"],
  ["there are two proxies", "10.1.2.3", "198.51.100.1, 192.0.2.1", "198.51.100.1"],
  [
    "a proxy is not in the chain where it should be",
    "10.1.2.3",
    "10.9.9.9, 198.51.100.1",
    "198.51.100.1",
  ],
  ["every hop is a proxy", "10.1.2.3", "10.7.7.7,192.0.2.1", "10.7.7.7"],
  ["a hop is malformed", "10.1.2.3", "198.51.100.1, unknown, 192.0.2.1", "192.0.2.1"],
  ["the only hop is malformed", "10.1.2.3", "example.com", "10.1.2.3"],
  ["a hop is empty", "10.1.2.3", "198.51.100.1,", "10.1.2.3"],
  ["a hop has a port", "10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
  ["a hop is in brackets", "10.1.2.3", "[2001:db8:2::7]:4711", "2001:db8:2::7"],
  ["a hop is in brackets without a port", "10.1.2.3", "[2001:db8:2::7]", "2001:db8:2::7"],
  ["the peer is IPv4 written as IPv6", "::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"],
  ["a hop is IPv4 written as IPv6", "10.1.2.3", "198.51.100.1, ::ffff:10.0.0.1", "198.51.100.1"],
  ["the proxy is IPv6", "2001:db8:1::1", "198.51.100.1", "198.51.100.1"],
  ["the peer is near a proxy's block", "11.0.0.1", "198.51.100.1", "11.0.0.1"],
  ["the peer is no address", "unix:", "198.51.100.1", "unix:"],
  ["the peer has a zone", "fe80::1%eth0", "198.51.100.1", "fe80::1%eth0"],
]

describe("ClientAddress", () => {
  it.each(behindProxies)("when %s: %s says %j, so it is %j", (_why, peer, forwarded, client) => {
    assert.strictEqual(ClientAddress.resolve(proxies, peer, forwarded), client)
  })

  it("ignores headers without a trusted proxy", () => {
    assert.strictEqual(ClientAddress.resolve([], "10.1.2.3", "198.51.100.1"), "10.1.2.3")
  })

  it("is fast for a header that names proxies only", () => {
    const chain = Array.from({ length: 1_000 }, () => "10.0.0.1").join(",")
    assert.strictEqual(ClientAddress.resolve(proxies, "10.1.2.3", chain), "10.0.0.1")
  })

  it.each(["", "10.0.0.0/33", "10.0.0.1/8", "localhost", "10.0.0", "*", "::/129"])(
    "rejects %j as a proxy",
    (text) => {
      assert.throws(() => ClientAddress.trustedProxies([text]), TypeError)
    },
  )
})

describe("a trusted block written as IPv6", () => {
  it("covers the mapped IPv4 proxies", () => {
    const trusted = ClientAddress.trustedProxies(["::ffff:10.0.0.0/104"])
    assert.strictEqual(ClientAddress.resolve(trusted, "10.0.0.1", "203.0.113.7"), "203.0.113.7")
  })
})
