/**
 * Lines at the end of a text that let browsers and Android apps recognize their code.
 *
 * A browser reads the last line, `@example.com #123456`, and offers the code only on that site. An Android
 * app that uses the SMS Retriever receives the texts that contain its hash.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Checks from "../domain/values/internal/checks.ts"
import { maxTextLength, type Template } from "./Templates.ts"

export interface Lines {
  /** The site's domain, without scheme, port or path. */
  readonly domain?: string | undefined
  /** The result of `androidHash`. */
  readonly androidHash?: string | undefined
}

/** The format of a domain: in lower case, with international domains in Punycode. */
export const domainPattern =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

/** The format of a hash. */
export const hashPattern = /^[A-Za-z0-9+/]{11}$/

/**
 * Adds the lines after the template's text, the hash first, because the line with the domain must be the
 * last. Adds nothing on WhatsApp, where no app reads them. Throws a `TypeError` for an invalid domain or
 * hash.
 */
export const withLines = (template: Template, lines: Lines): Template => {
  const { androidHash, domain } = lines
  if (domain !== undefined && !domainPattern.test(domain)) {
    throw new TypeError(
      "A domain is written in lower case, without scheme, port or path, such as example.com",
    )
  }
  if (androidHash !== undefined && !hashPattern.test(androidHash)) {
    throw new TypeError("An Android app's hash has 11 letters of A-Z, a-z, 0-9, + and /")
  }
  return (input) => {
    const text = template(input)
    // Returns an invalid text unchanged, because the lines would make it look valid.
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
  /** The whole signing certificate (DER) in hexadecimal, not its fingerprint. */
  readonly certificateHex: string
}

const packagePattern = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/

/** Shorter than every certificate and longer than every fingerprint. */
const minCertificateHex = 200

/** The bytes to hash with SHA-256 for `androidHash`. Throws a `TypeError` for an invalid input. */
export const androidHashInput = ({ certificateHex, packageName }: AndroidApp): Uint8Array => {
  if (!packagePattern.test(packageName)) throw new TypeError("Not the name of an Android package")
  if (certificateHex.length < minCertificateHex || !/^([0-9a-fA-F]{2})+$/.test(certificateHex)) {
    throw new TypeError("Not a whole certificate in hexadecimal")
  }
  return new TextEncoder().encode(`${packageName} ${certificateHex.toLowerCase()}`)
}

/** The hash of an Android app, by the SHA-256 of `androidHashInput`. Throws a `TypeError` for another length. */
export const androidHash = (sha256: Uint8Array): string => {
  if (sha256.length !== 32) throw new TypeError("A SHA-256 digest has 32 bytes")
  return Base64.encode(sha256.subarray(0, 9)).slice(0, 11)
}
