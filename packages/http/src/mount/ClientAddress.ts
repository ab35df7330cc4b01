/**
 * Finds the address that a request comes from: the socket's, or the one in the headers of trusted proxies.
 */
import * as IpBlock from "@countersign/core/domain/values/IpBlock"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as RequestContext from "./RequestContext.ts"

/** Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const read = (text: string): NetAddress.IpAddress | undefined =>
  IpBlock.readAddress(withoutPort(text.trim()))

/** Parses addresses and CIDR blocks. Throws a `TypeError` for anything else. */
export const trustedProxies = (texts: ReadonlyArray<string>): ReadonlyArray<IpBlock.IpBlock> =>
  texts.map((text) =>
    Result.getOrThrowWith(IpBlock.read(text), ({ message }) => new TypeError(message)),
  )

/**
 * Returns the address of the client.
 *
 * `peer` is the other end of the socket. If it is a trusted proxy, the function reads `X-Forwarded-For` from
 * its right end, past further trusted proxies. The first address that is not a trusted proxy is the client's.
 * An entry that is not an address ends the search at the last trusted hop.
 *
 * Returns an empty string if the peer is unknown. An allow list then admits the request only if it admits every
 * address.
 */
export const resolve = (
  trusted: ReadonlyArray<IpBlock.IpBlock>,
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

export interface Options {
  /** Addresses and CIDR blocks of the host's own proxies. @defaultValue none */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** The address of the peer, if the request's own source cannot provide it. @defaultValue the address of the socket */
  readonly clientAddress?: ((request: HttpServerRequest) => string | undefined) | undefined
}

/** Returns the function that finds the address of the client. Throws a `TypeError` for an invalid proxy. */
export const resolver = (options: Options): ((request: HttpServerRequest) => string) => {
  const peerOf =
    options.clientAddress ?? (({ remoteAddress }) => Option.getOrUndefined(remoteAddress))
  const trusted = trustedProxies(options.trustedProxies ?? [])
  return (request) =>
    resolve(
      trusted,
      RequestContext.of(request).clientAddress ?? peerOf(request),
      request.headers["x-forwarded-for"],
    )
}
