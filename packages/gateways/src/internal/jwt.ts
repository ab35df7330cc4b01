/** JSON Web Tokens: signs them with an RSA key, and verifies them with a shared secret. */
import { WebCrypto } from "effect/crypto/WebCrypto"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import { jsonDecoder } from "./json.ts"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { utf8, type Verify } from "./callback.ts"

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const

/** Decodes the body of a PKCS #8 PEM file. Environment variables often contain its line ends as `\n`. */
const derOf = (pem: string): Uint8Array<ArrayBuffer> => {
  const [, text] =
    /-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----/s.exec(
      pem.replaceAll(String.raw`\n`, "\n"),
    ) ?? []
  return Uint8Array.from(Result.getOrThrow(Base64.decode((text ?? "").replace(/\s/g, ""))))
}

/** Returns a function that signs claims with RS256. Dies if the key is invalid, without showing the key. */
export const signer = (
  privateKey: Redacted.Redacted,
): Effect.Effect<(claims: Readonly<Record<string, unknown>>) => Effect.Effect<string>> =>
  Effect.gen(function* () {
    const crypto = yield* WebCrypto
    const key = yield* Effect.tryPromise({
      try: async () =>
        crypto.subtle.importKey("pkcs8", derOf(Redacted.value(privateKey)), rsa, false, ["sign"]),
      catch: () => new TypeError("The private key is no RSA key in a PKCS #8 PEM file"),
    }).pipe(Effect.orDie)
    const header = Base64Url.encode(JSON.stringify({ alg: "RS256", typ: "JWT" }))
    return (claims) => {
      const signed = `${header}.${Base64Url.encode(JSON.stringify(claims))}`
      return Effect.promise(async () => {
        const tag = await crypto.subtle.sign(rsa, key, Uint8Array.from(utf8(signed)))
        return `${signed}.${Base64Url.encode(new Uint8Array(tag))}`
      })
    }
  })

const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

const readHeader = jsonDecoder(Schema.Struct({ alg: Schema.Literal("HS256") }))

const textOf = (part: string): string => Result.getOrElse(Base64Url.decodeString(part), () => "")

/** Returns the claims as JSON if the token has a valid HS256 signature; otherwise `undefined`. */
export const claimsOf = (token: string, verify: Verify): Effect.Effect<string | undefined> => {
  const [, header = "", claims = "", tag = ""] = form.exec(token) ?? []
  // The token's own algorithm is only compared with HS256.
  if (readHeader(textOf(header)) === undefined) return Effect.succeed(undefined)
  return Effect.map(verify(Base64Url.decode(tag), utf8(`${header}.${claims}`)), (isSigned) =>
    isSigned ? textOf(claims) : undefined,
  )
}
