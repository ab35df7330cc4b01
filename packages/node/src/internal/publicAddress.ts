import { BlockList, isIP } from "node:net"

/** The ranges that the IANA registries reserve in IPv4, and the addresses at which clouds serve their machines. */
const reserved = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // The host agent of Azure, in a public block.
  ["168.63.129.16", 32],
] as const

/** The ranges in the only block of IPv6 with public addresses that are reserved, or contain an IPv4 address. */
const reservedGlobal = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const

const list = (
  subnets: ReadonlyArray<readonly [network: string, prefix: number]>,
  family: "ipv4" | "ipv6",
): BlockList => {
  const made = new BlockList()
  for (const [network, prefix] of subnets) made.addSubnet(network, prefix, family)
  return made
}

const inner = list(reserved, "ipv4")
const global = list([["2000::", 3]], "ipv6")
const innerGlobal = list(reservedGlobal, "ipv6")

/**
 * Whether an IP address is in the public internet. Outside of 2000::/3, IPv6 has no public address: mapped IPv4
 * addresses and NAT64 are there.
 */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !inner.check(address, "ipv4")
    case 6:
      // An address with a zone is local.
      return (
        !address.includes("%") &&
        global.check(address, "ipv6") &&
        !innerGlobal.check(address, "ipv6")
      )
    default:
      return false
  }
}
