/**
 * The visitor behind a request: the engine limits what one visitor does.
 */
import { isIPv6 } from "node:net"

/** As in `2001:db8::1`, where the colons in a row stand for groups of zeros. */
const groupsOf = (address: string): ReadonlyArray<string> => {
  const [start = [], end = []] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => "0")
  return [...start, ...zeros, ...end]
}

/** By address. Of IPv6 it is the network, because one visitor may have all of its addresses. */
export const clientOf = (address: string): string => {
  const ipv4 = /^::ffff:([\d.]+)$/.exec(address)?.[1] ?? address
  return isIPv6(ipv4) ? groupsOf(ipv4).slice(0, 4).join(":") : ipv4
}
