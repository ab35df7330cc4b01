/**
 * Binds requests to a browser by a cookie that better-auth could have signed. It is signed here because better-auth
 * signs asynchronously, and a response that is answered in the background has left by then.
 */
import type { GenericEndpointContext } from "better-auth"
import { createHmac, timingSafeEqual } from "node:crypto"

/** No code is valid for longer. The engine decides when a request ends. */
const maxAge = 60 * 60

/** The requests of a browser for one number and one purpose. */
export interface Binding {
  readonly ids: ReadonlyArray<string>
  /** Whether the codes were sent to this number. */
  readonly isOf: (phoneNumber: string) => boolean
}

const hmac = ({ context }: GenericEndpointContext, text: string) =>
  createHmac("sha256", context.secret).update(text)

const isEqual = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Names a number, without showing it to the readers of the cookie. */
const digestOf = (ctx: GenericEndpointContext, purpose: string, phoneNumber: string): string =>
  hmac(ctx, `countersign ${purpose} ${phoneNumber}`).digest("base64url").slice(0, 16)

const cookieOf = (ctx: GenericEndpointContext, purpose: string) =>
  ctx.context.createAuthCookie(`countersign_${purpose}`, { maxAge })

/** Binds these ids to the browser. Set before the first `await`, the cookie is in every response. */
export const bind = (
  ctx: GenericEndpointContext,
  purpose: string,
  phoneNumber: string,
  ids: ReadonlyArray<string>,
): void => {
  const { attributes, name } = cookieOf(ctx, purpose)
  const value = [digestOf(ctx, purpose, phoneNumber), ...ids].join(".")
  ctx.setCookie(name, `${value}.${hmac(ctx, value).digest("base64")}`, attributes)
}

/** The requests that are bound to the browser; `undefined` without a cookie, or for one that is not ours. */
export const bound = (ctx: GenericEndpointContext, purpose: string): Binding | undefined => {
  const cookie = ctx.getCookie(cookieOf(ctx, purpose).name) ?? ""
  const end = cookie.lastIndexOf(".")
  const value = cookie.slice(0, Math.max(0, end))
  if (!isEqual(hmac(ctx, value).digest("base64"), cookie.slice(end + 1))) return undefined
  const [digest = "", ...ids] = value.split(".")
  return { ids, isOf: (phoneNumber) => isEqual(digest, digestOf(ctx, purpose, phoneNumber)) }
}

/** Ends the binding. */
export const unbind = (ctx: GenericEndpointContext, purpose: string): void => {
  const { attributes, name } = cookieOf(ctx, purpose)
  ctx.setCookie(name, "", { ...attributes, maxAge: 0 })
}
