/**
 * What the session's cookie says, and its signature. Nothing of a session is kept on the server.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

export interface Session {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** Of the code that was sent to the number; `null` once the code was right, and the user is signed in. */
  readonly requestId: string | null
}

export const cookieName = "session"

/** How long a session lasts: the code that it waits for is good for five minutes. */
export const lifetimeSeconds = ({ requestId }: Session): number =>
  requestId === null ? 12 * 60 * 60 : 15 * 60

const signatureOf = (claims: string): Buffer =>
  createHmac("sha256", process.env["SESSION_SECRET"] ?? "")
    .update(claims)
    .digest()

/** The cookie's value. */
export const seal = (session: Session, nowMillis: number): string => {
  const until = nowMillis + lifetimeSeconds(session) * 1_000
  const { phoneNumber, requestId } = session
  const claims = Buffer.from(JSON.stringify([phoneNumber, requestId, until])).toString("base64url")
  return `${claims}.${signatureOf(claims).toString("base64url")}`
}

/** The session of a cookie's value; `undefined` where it is not one of ours, or is too old. */
export const unseal = (value: string | undefined, nowMillis: number): Session | undefined => {
  const [claims = "", signature = ""] = (value ?? "").split(".")
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(claims)]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const parsed: unknown = JSON.parse(Buffer.from(claims, "base64url").toString())
  if (!Array.isArray(parsed)) return undefined
  const [phoneNumber, requestId, until]: ReadonlyArray<unknown> = parsed
  if (typeof phoneNumber !== "string" || typeof until !== "number" || until <= nowMillis)
    return undefined
  return { phoneNumber, requestId: typeof requestId === "string" ? requestId : null }
}
