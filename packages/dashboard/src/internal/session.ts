import { bytesOf, toBase64Url } from "./encoding.ts"

/** As long as the engine keeps a session. */
const cookieSeconds = 12 * 3_600

/** Makes a search for the password slow. Some runtimes allow no more. */
const iterations = 100_000

/** A login by one password. Its sessions are in the database of the engine. */
export interface Login {
  /** The name of the cookie, without its prefix, and of the login. Another password has another one. */
  readonly name: string
  /** Compares in constant time. */
  readonly isPassword: (given: string) => Promise<boolean>
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

/** The `Set-Cookie` header of a new session. An empty token ends the session in the browser. */
export const sessionCookie = (name: string, token: string, isSecure: boolean): string => {
  const seconds = token === "" ? 0 : cookieSeconds
  return `${fullName(name, isSecure)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`
}

/** The token of the session that a `Cookie` header has. */
export const tokenOf = (header: string, name: string, isSecure: boolean): string | undefined =>
  header
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${fullName(name, isSecure)}=`))
    ?.slice(fullName(name, isSecure).length + 1)

export const makeLogin = async (password: string, secret: string | undefined): Promise<Login> => {
  const key = await keyOf(password, secret)
  const sign = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await crypto.subtle.sign(hmac.name, key, bytesOf(text)))
  return {
    name: `countersign-${toBase64Url(await sign("name")).slice(0, 8)}`,
    // The signatures are compared, so the time says nothing of the password.
    isPassword: async (given) =>
      crypto.subtle.verify(
        hmac.name,
        key,
        await sign(`password ${given}`),
        bytesOf(`password ${password}`),
      ),
  }
}
