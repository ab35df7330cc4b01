/**
 * Which address a request comes from: the socket's, or what proxies that the
 * host has named as its own say of it.
 */
import * as IpBlock from "@countersign/core/domain/IpBlock"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** The addresses of the host's own proxies. */
export type TrustedProxies = ReadonlyArray<IpBlock.IpBlock>

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const read = (text: string): NetAddress.IpAddress | undefined =>
  IpBlock.readAddress(withoutPort(text.trim()))

/** Reads addresses and CIDR blocks. Throws a `TypeError` for anything else: a mistake here opens doors. */
export const trustedProxies = (texts: ReadonlyArray<string>): TrustedProxies =>
  texts.map((text) =>
    Result.getOrThrowWith(IpBlock.read(text), ({ message }) => new TypeError(message)),
  )

/**
 * The address of the client.
 *
 * `peer` is the socket's other end. Only when that is a trusted proxy, the
 * value of `X-Forwarded-For` is walked from its right end, past further trusted
 * proxies; the first address that is none of them is the client's. An entry
 * that is no address ends the walk at the last hop that could be trusted.
 *
 * The result is empty where nothing is known of the peer, which an allow list
 * admits only if it admits everybody.
 */
export const resolve = (
  trusted: TrustedProxies,
  peer: string | undefined,
  forwardedFor: string | undefined,
): string => {
  if (peer === undefined) return ""
  if (trusted.length === 0) return peer
  let client = read(peer)
  if (client === undefined) return peer
  for (const text of forwardedFor?.split(",").toReversed() ?? []) {
    if (!IpBlock.someContains(trusted, client)) break
    const next = read(text)
    if (next === undefined) break
    client = next
  }
  return NetAddress.formatIp(client)
}
