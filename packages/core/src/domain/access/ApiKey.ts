/**
 * API keys: `csk_<env>_<id>_<secret>_<checksum>`.
 *
 * The checksum tells a key from a typing error without a lookup. The id finds the row. Only the SHA-256 of
 * the secret is stored.
 */
import * as Mac from "effect/crypto/Mac"
import { ApiKeyId } from "../values/Ids.ts"
import type { ApiKeyScope } from "./ApiKeyScope.ts"

export type Environment = "live" | "test"

/** A key as it is stored: enough to recognize it, not enough to use it. */
export interface ApiKey {
  readonly id: ApiKeyId
  readonly name: string
  readonly environment: Environment
  /** SHA-256 of the secret part, 32 bytes. */
  readonly secretHash: Uint8Array
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** `Actor.id` of its creator. */
  readonly createdBy: string
  /** The first moment at which the key is no longer valid. `null`: it does not expire. */
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The scopes of the key. `null`: all scopes. */
  readonly scopes: ReadonlyArray<ApiKeyScope> | null
  /** A sample: the last use is at most `sampleMillis` later. `null`: never used. */
  readonly lastUsedAt: number | null
}

/** The parts of a key's text. `secret` must not leave the function that compares it. */
export interface Parts {
  readonly environment: Environment
  readonly id: ApiKeyId
  readonly secret: string
}

/** The format of a key, for secret scanners. A match may still have a wrong checksum. */
export const pattern = /^csk_(live|test)_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

const crc32 = (ascii: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < ascii.length; index++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ ascii.charCodeAt(index)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (body: string): string => {
  let value = crc32(body)
  let text = ""
  for (let digit = 0; digit < 6; digit++) {
    text = alphabet.charAt(value % 62) + text
    value = Math.floor(value / 62)
  }
  return text
}

/** Letters from random bytes. Rejecting the few highest values keeps the letters uniform. */
const letters = (random: Uint8Array, length: number): string | undefined => {
  let text = ""
  for (const byte of random) {
    if (text.length === length) break
    if (byte < 248) text += alphabet.charAt(byte % 62)
  }
  return text.length === length ? text : undefined
}

/** Number of random bytes for `encode`: with these, it practically never needs more. */
export const randomBytes = 128

/** Makes a key: 95 bits of id, 256 of secret. `undefined`, practically never, if too many bytes are rejected. */
export const encode = (
  environment: Environment,
  random: Uint8Array,
): (Parts & { readonly text: string }) | undefined => {
  const drawn = letters(random, 16 + 43)
  if (drawn === undefined) return undefined
  const id = drawn.slice(0, 16)
  const secret = drawn.slice(16)
  const body = `csk_${environment}_${id}_${secret}`
  return { environment, id: ApiKeyId(id), secret, text: `${body}_${checksum(body)}` }
}

/** Text that has the format of a key. */
export interface Candidate extends Parts {
  /** Whether the checksum is right. */
  readonly isIntact: boolean
}

/** The parts of text that has the format of a key; `undefined` for other text. */
export const split = (text: string): Candidate | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, environment, id = "", secret = "", sum] = match
  return {
    environment: environment === "test" ? "test" : "live",
    id: ApiKeyId(id),
    secret,
    isIntact: checksum(text.slice(0, -7)) === sum,
  }
}

/**
 * Identifies a key without containing it: the id, the first 8 of the secret's 43 letters, and the checksum
 * over all of them. Guessing the fingerprint of a key with a known id takes 2^79 tries, and 176 bits of the
 * secret are not in it. `undefined` for text that is not a key.
 */
export const fingerprint = (text: string): string | undefined => {
  const parts = split(text)
  if (parts?.isIntact !== true) return undefined
  // Joined, because a slice of the text would keep all of the text in memory.
  return [parts.id, parts.secret.slice(0, 8), text.slice(-6)].join("")
}

/** Minimum time between two recorded uses of a key, on all nodes together. */
export const sampleMillis = 60_000

/** Whether the key is neither revoked nor expired. */
export const isActive = (self: ApiKey, now: number): boolean =>
  self.revokedAt === null && (self.expiresAt === null || now < self.expiresAt)

/** Whether the key may be used for `scope`. A key with scopes may be used for nothing that has none. */
export const allows = ({ scopes }: ApiKey, scope: ApiKeyScope | undefined): boolean =>
  scopes === null || (scope !== undefined && scopes.includes(scope))

/** Records a use. Returns the same key if it was not active, or if a use was recorded a moment ago. */
export const withUse = (self: ApiKey, at: number): ApiKey => {
  const isDue = self.lastUsedAt === null || at - self.lastUsedAt >= sampleMillis
  return isDue && isActive(self, at) ? { ...self, lastUsedAt: at } : self
}

const noHash = new Uint8Array(32)

/**
 * Whether a key is valid now. `stored` is the stored key with its id, `secretHash` the SHA-256 of its secret.
 * Takes the same time wherever the hashes differ, and without a stored key.
 */
export const matches = (
  stored: ApiKey | undefined,
  { environment, isIntact }: Pick<Candidate, "environment" | "isIntact">,
  secretHash: Uint8Array,
  now: number,
): stored is ApiKey => {
  const hasSecret = Mac.timingSafeEqual(secretHash, stored?.secretHash ?? noHash)
  return (
    hasSecret &&
    isIntact &&
    stored !== undefined &&
    isActive(stored, now) &&
    stored.environment === environment
  )
}
