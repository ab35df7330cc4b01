/** How servers prove that a request is theirs. All comparisons take the same time for every value. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** A request to verify, and the current time. */
export interface Signed {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** Returns the secret that a request proves to know. */
export type SecretOf = (signed: Signed) => string | undefined

const toleranceSeconds = 300

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const isRecent = (timestamp: string, now: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1_000 - Number(timestamp)) <= toleranceSeconds

/** `Authorization: Bearer` and a token. */
export const bearer =
  (tokens: ReadonlyArray<string>): SecretOf =>
  ({ headers: { authorization = "" } }) => {
    const [, given = ""] = /^bearer +(.+)$/i.exec(authorization) ?? []
    return tokens.find((token) => isSame(token, given))
  }

/** Standard Webhooks. `secrets`: base64. */
export const standardWebhooks =
  (secrets: ReadonlyArray<string>): SecretOf =>
  ({ body, headers, now }) => {
    const {
      "webhook-id": id = "",
      "webhook-signature": signature = "",
      "webhook-timestamp": timestamp = "",
    } = headers
    if (id === "" || !isRecent(timestamp, now)) return undefined
    // Separated by spaces. Supabase adds commas.
    const given = [...signature.matchAll(/v1,([A-Za-z0-9+/]+=*)/g)].map(([, text = ""]) => text)
    return secrets.find((secret) => {
      const keyed = createHmac("sha256", Buffer.from(secret, "base64"))
      const expected = keyed.update(`${id}.${timestamp}.${body}`).digest("base64")
      return given.some((text) => isSame(text, expected))
    })
  }

/** `ZITADEL-Signature: t=…,v1=…`. */
export const zitadel =
  (keys: ReadonlyArray<string>): SecretOf =>
  ({ body, headers, now }) => {
    const parts = (headers["zitadel-signature"] ?? "").split(",").map((part) => part.split("="))
    const valuesOf = (name: string): ReadonlyArray<string> =>
      parts.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []))
    const [timestamp = ""] = valuesOf("t")
    if (!isRecent(timestamp, now)) return undefined
    return keys.find((key) => {
      const expected = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex")
      return valuesOf("v1").some((text) => isSame(text, expected))
    })
  }
