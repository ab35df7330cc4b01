import { assert, describe, it } from "@effect/vitest"
import { isPublicAddress } from "../../src/internal/publicAddress.ts"

const inner = `
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255 168.63.129.16
:: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 fc00::1
fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001::1 2001:db8::1 2001:10::1 2002:7f00:1::1 3fff::1
4000::1 5f00::1
`
const outer = `
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17
2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 3ffe::1
`

const words = (text: string) => text.trim().split(/\s+/)

describe("a public address", () => {
  it.each(words(inner))("is not %s", (address) => assert.isFalse(isPublicAddress(address)))
  it.each(words(outer))("is %s", (address) => assert.isTrue(isPublicAddress(address)))
  it.each(["", "localhost", "1.2.3", "1.2.3.4.5", "0x7f.1"])("is no name: %s", (text) =>
    assert.isFalse(isPublicAddress(text)),
  )
})
