/**
 * Which pages may use the inbox. It shows codes to every caller, and a web site that a developer happens to visit
 * can send requests to it: names of other owners are refused, and so are changes from pages of other origins.
 */
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** Whether the name of a request's host is this machine's, an address, or one of `hosts`. */
export const isOwnHost = (header: string | undefined, hosts: ReadonlyArray<string>): boolean => {
  const host = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(header ?? "")?.[1]?.toLowerCase()
  if (host === undefined) return false
  if (host === "localhost" || host.endsWith(".localhost")) return true
  return (
    hosts.some((own) => own.toLowerCase() === host) ||
    Result.isSuccess(NetAddress.ipFromString(host.replace(/^\[|\]$/g, "")))
  )
}

/** Whether a request is from a page of this server, or from no page. Browsers name the origin of every change. */
export const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin === undefined || URL.parse(origin)?.host === host?.toLowerCase()
