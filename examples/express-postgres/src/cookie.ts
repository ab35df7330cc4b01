/**
 * Cookies: that of the session, and that of the language.
 */
import type { IncomingMessage } from "node:http"

/** The value of a cookie that came with a request. */
export const readCookie = (
  { headers }: Pick<IncomingMessage, "headers">,
  name: string,
): string | undefined => {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/**
 * Scripts cannot read the cookie of the session, and other sites' forms and frames do not send it along.
 * `isSecure` is for everything but development: such a cookie travels over HTTPS only. Browsers accept the
 * prefix `__Host-` only from this host, over HTTPS.
 */
export const sessionCookie = (isSecure: boolean) => ({
  name: isSecure ? "__Host-session" : "session",
  options: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" } as const,
})
