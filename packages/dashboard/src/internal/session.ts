import { bytesOf, fromBase64, toBase64Url } from "./encoding.ts"

export const sessionSeconds = 12 * 3_600

/** Makes a search for the password of a stolen session slow. Some runtimes allow no more. */
const iterations = 100_000

/** Sessions of one password. A session is its end and a signature; nothing is stored. */
export interface Session {
  /** The name of the cookie, without its prefix. Two dashboards on one host have different ones. */
  readonly name: string
  /** Compares in constant time. */
  readonly isPassword: (given: string) => Promise<boolean>
  /** A token that is valid from now on. */
  readonly issue: (now: number) => Promise<string>
  /** Whether the `Cookie` header has a token that is valid now. */
  readonly isValid: (cookies: string, isSecure: boolean, now: number) => Promise<boolean>
}

const hmac = { name: "HMAC", hash: "SHA-256" } as const

const keyOf = async (password: string, secret: string | undefined): Promise<CryptoKey> => {
  const material = await crypto.subtle.importKey("raw", bytesOf(password), "PBKDF2", false, [
    "deriveKey",
  ])
  const salt = bytesOf(`countersign-dashboard ${secret ?? ""}`)
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt, iterations }
  return crypto.subtle.deriveKey(derivation, material, hmac, false, ["sign", "verify"])
}

const fullName = (name: string, isSecure: boolean): string => `${isSecure ? "__Host-" : ""}${name}`

const cookie = (name: string, value: string, seconds: number, isSecure: boolean): string =>
  `${fullName(name, isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`

/** The `Set-Cookie` header of a new session. */
export const sessionCookie = (name: string, token: string, isSecure: boolean): string =>
  cookie(name, token, sessionSeconds, isSecure)

/** The `Set-Cookie` header that ends a session. */
export const clearedCookie = (name: string, isSecure: boolean): string =>
  cookie(name, "", 0, isSecure)

const cookieOf = (header: string, name: string): string | undefined =>
  header
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1)

const tokenPattern = /^(\d{13})\.([\w-]{43})$/

export const makeSession = async (
  password: string,
  secret: string | undefined,
): Promise<Session> => {
  const key = await keyOf(password, secret)
  const sign = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await crypto.subtle.sign(hmac.name, key, bytesOf(text)))
  const verify = (text: string, signature: Uint8Array<ArrayBuffer>): Promise<boolean> =>
    crypto.subtle.verify(hmac.name, key, signature, bytesOf(text))
  const name = `countersign-${toBase64Url(await sign("name")).slice(0, 8)}`
  return {
    name,
    // The signatures are compared, so the time says nothing of the password.
    isPassword: async (given) => verify(`password ${password}`, await sign(`password ${given}`)),
    issue: async (now) => {
      const end = String(now + sessionSeconds * 1_000)
      return `${end}.${toBase64Url(await sign(`session ${end}`))}`
    },
    isValid: async (cookies, isSecure, now) => {
      const token = cookieOf(cookies, fullName(name, isSecure)) ?? ""
      const [, end = "", signature = ""] = tokenPattern.exec(token) ?? []
      if (end === "" || Number(end) <= now) return false
      const standard = `${signature.replaceAll("-", "+").replaceAll("_", "/")}=`
      return verify(`session ${end}`, fromBase64(standard))
    },
  }
}
