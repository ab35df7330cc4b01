/**
 * IP addresses and CIDR blocks in text form. IPv4 written as IPv6 (`::ffff:203.0.113.7`, as on dual-stack
 * sockets) is IPv4 on both sides of a comparison.
 */
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as FieldProblem from "./FieldProblem.ts"

export type IpBlock = IpNetwork.IpNetwork

const unmapped = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  NetAddress.isIpv6Address(address)
    ? Option.getOrElse(NetAddress.fromIpv4Mapped(address), () => address)
    : address

/** Parses a single address; `undefined` for other text. */
export const readAddress = (text: string): NetAddress.IpAddress | undefined =>
  Result.getOrUndefined(Result.map(NetAddress.ipFromString(text), unmapped))

/** Parses a block, or a single address as a block of one. The failure quotes the text. */
export const read = (
  text: string,
): Result.Result<IpBlock, FieldProblem.FieldProblem<"not_ip_block">> => {
  const parsed = text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.flatMap(NetAddress.ipFromString(text), (address) =>
        IpNetwork.make(address, NetAddress.width(address)),
      )
  return parsed.pipe(
    Result.flatMap((block) => {
      const address = unmapped(block.address)
      const shorter = NetAddress.width(block.address) - NetAddress.width(address)
      return block.prefixLength < shorter
        ? Result.succeed(block)
        : IpNetwork.make(address, block.prefixLength - shorter)
    }),
    Result.mapError(() => FieldProblem.make("not_ip_block", { entry: text })),
  )
}

export const someContains = (
  blocks: ReadonlyArray<IpBlock>,
  address: NetAddress.IpAddress,
): boolean => blocks.some((block) => IpNetwork.contains(block, address))
