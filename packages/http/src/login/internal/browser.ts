/** The data of a request about its browser: the origin of its page, and the visitor. */
import * as IpBlock from "@countersign/core/domain/values/IpBlock"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import { hostOf } from "../../mount/internal/requestHost.ts"
import { type Answer, empty } from "./answers.ts"

/** The origin of the page, if the host lists it. */
const listedOrigin = (
  { headers }: HttpServerRequest,
  origins: ReadonlySet<string>,
): string | undefined =>
  headers["origin"] !== undefined && origins.has(headers["origin"]) ? headers["origin"] : undefined

/**
 * Whether a page of another site may have caused the request. Browsers send `Sec-Fetch-Site`, and old ones `Origin`
 * with each write. Programs send neither.
 */
export const isForeign = (request: HttpServerRequest, origins: ReadonlySet<string>): boolean => {
  const { origin, "sec-fetch-site": site } = request.headers
  if (listedOrigin(request, origins) !== undefined) return false
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  if (origin === undefined) return false
  const host = hostOf(request)
  return host === undefined || URL.parse(origin)?.host !== host
}

/** Lets the pages of listed origins read the answer, and no others. */
export const withCors =
  (request: HttpServerRequest, origins: ReadonlySet<string>) =>
  (answer: Answer): Answer => {
    if (origins.size === 0) return answer
    const varied = HttpServerResponse.setHeader(answer, "vary", "Origin")
    const origin = listedOrigin(request, origins)
    return origin === undefined
      ? varied
      : HttpServerResponse.setHeaders(varied, {
          "access-control-allow-origin": origin,
          "access-control-allow-credentials": "true",
          "access-control-expose-headers": "Retry-After",
        })
  }

/** The answer to `OPTIONS`. Only listed origins get the headers that let them read answers. */
export const preflight = (allow: string): Answer =>
  HttpServerResponse.setHeaders(empty(204), {
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": "Content-Type",
    "access-control-max-age": "600",
  })

/** Bits of the network that one visitor has alone. */
const networkBits = 64

/** The visitor by its address. Of IPv6 it is the network, because one visitor may have all of its addresses. */
export const clientOf = (address: string): string | undefined => {
  const parsed = IpBlock.readAddress(address)
  if (parsed === undefined) return address === "" ? undefined : address
  if (!NetAddress.isIpv6Address(parsed)) return NetAddress.formatIp(parsed)
  const network = IpNetwork.fromAddress(parsed, networkBits)
  return Result.getOrElse(Result.map(network, IpNetwork.format), () => address)
}
