/**
 * Lines at the end of a text by which browsers and Android apps recognize a code that is for them.
 *
 * A browser reads the last line, `@example.com #123456`, and offers the code on that site only. An Android
 * app that uses the SMS Retriever is handed texts that carry its hash, without asking to read any other.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Checks from "../domain/internal/checks.ts"
import { maxTextLength, type Template } from "./Templates.ts"

export interface Lines {
  /** The site's domain, without scheme, port or path. */
  readonly domain?: string | undefined
  /** From `androidHash`. */
  readonly androidHash?: string | undefined
}

/** What a domain looks like: in lower case, international ones in Punycode. */
export const domainPattern =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

/** What a hash looks like. */
export const hashPattern = /^[A-Za-z0-9+/]{11}$/

const problemOf = ({ androidHash, domain }: Lines): string | undefined => {
  if (domain !== undefined && !domainPattern.test(domain)) {
    return "A domain is written in lower case, without scheme, port or path, such as example.com"
  }
  return androidHash === undefined || hashPattern.test(androidHash)
    ? undefined
    : "An Android app's hash has 11 letters of A-Z, a-z, 0-9, + and /"
}

/**
 * The template with these lines after its text, the hash before the domain: the line with the domain has
 * to be the last. Nothing is added on WhatsApp, where nobody looks for them. Throws a `TypeError` for a
 * domain or a hash that cannot be one.
 */
export const withLines = (template: Template, lines: Lines): Template => {
  const problem = problemOf(lines)
  if (problem !== undefined) throw new TypeError(problem)
  const { androidHash, domain } = lines
  return (input) => {
    const text = template(input)
    // With lines, what is no text would look like one.
    if (input.channel !== "sms" || Checks.textProblem(text, maxTextLength) !== undefined)
      return text
    return [
      text,
      ...(androidHash === undefined ? [] : [androidHash]),
      ...(domain === undefined ? [] : [`@${domain} #${input.code}`]),
    ].join("\n")
  }
}

export interface AndroidApp {
  /** `com.example.app` */
  readonly packageName: string
  /** The whole signing certificate (DER) in hexadecimal; not its fingerprint. */
  readonly certificateHex: string
}

const packagePattern = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/

/** Shorter than any certificate, longer than any fingerprint. */
const minCertificateHex = 200

/**
 * What has to be hashed with SHA-256 for `androidHash`. Throws a `TypeError` when it is no package name
 * or no certificate.
 */
export const androidHashInput = ({ certificateHex, packageName }: AndroidApp): Uint8Array => {
  if (!packagePattern.test(packageName)) throw new TypeError("Not the name of an Android package")
  if (certificateHex.length < minCertificateHex || !/^([0-9a-fA-F]{2})+$/.test(certificateHex)) {
    throw new TypeError("Not a whole certificate in hexadecimal")
  }
  return new TextEncoder().encode(`${packageName} ${certificateHex.toLowerCase()}`)
}

/**
 * The hash of an Android app, 11 letters: the start of the base64 of the first 9 bytes of the SHA-256
 * digest of `androidHashInput`. Throws a `TypeError` for a digest of another length.
 */
export const androidHash = (sha256: Uint8Array): string => {
  if (sha256.length !== 32) throw new TypeError("A SHA-256 digest has 32 bytes")
  return Base64.encode(sha256.subarray(0, 9)).slice(0, 11)
}
