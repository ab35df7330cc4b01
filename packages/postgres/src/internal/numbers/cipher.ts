/**
 * Encrypts phone numbers for the database. The same number of the same organization always has the same form
 * under a key, so rows are found by it. The construction is SIV (RFC 5297 describes it): the initialization vector
 * is a MAC of the plaintext, and shows at decryption whether the key and the bytes are right. The MAC here is
 * HMAC-SHA-256, cut to 128 bits, and the cipher is AES-256-CTR.
 */
import * as Redacted from "effect/Redacted"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto"
import type { Row, Seal } from "../rows/columns.ts"
import { Memory } from "./memory.ts"

/** A key that phone numbers are encrypted with. */
export interface NumberKey {
  /** 1 to 32 letters, digits, dots, hyphens and underscores. Never reuse an id for another secret. */
  readonly id: string
  /** At least 32 characters of high entropy. */
  readonly secret: Redacted.Redacted<string>
}

/** Returns the forms that a phone number may have in the rows of an organization, the current one first. */
export type FormsOf = (phoneNumber: string, organization: string) => ReadonlyArray<string>

export interface NumberCipher {
  /** The id of the current key. */
  readonly id: string
  /** Returns the form of a phone number in new rows, and any other text as it is. */
  readonly seal: Seal
  readonly forms: FormsOf
  /** The number of `forms`. With one, SQL can compare the numbers of two rows. */
  readonly count: number
  /** The form under the current key of a stored value; `undefined` if the value is in that form. */
  readonly renew: (stored: string, organization: string) => string | undefined
  /** Decrypts the phone numbers of rows. `stale_phone_number` is the stored form if it is not the current one. */
  readonly open: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>
}

interface Key {
  readonly id: string
  /** The beginning of all forms. No E.164 number begins with `$`. */
  readonly prefix: string
  readonly mac: KeyObject
  readonly cipher: KeyObject
}

const vectorLength = 16

/** All numbers are padded to this length, so that a form does not show the length of its number. */
const paddedLength = 16

const isE164 = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text)

const keyOf = ({ id, secret }: NumberKey): Key => {
  const bytes = Buffer.from(
    hkdfSync("sha256", Redacted.value(secret), "", "countersign phone numbers", 64),
  )
  return {
    id,
    prefix: `$${id}$`,
    mac: createSecretKey(bytes.subarray(0, 32)),
    cipher: createSecretKey(bytes.subarray(32)),
  }
}

/** An organization's part has its length before it, so no two pairs give the same text. */
const macOf = ({ mac }: Key, organization: string, plain: Uint8Array): Buffer =>
  createHmac("sha256", mac)
    .update(`${organization.length}:${organization}`)
    .update(plain)
    .digest()
    .subarray(0, vectorLength)

const sealWith = (key: Key, phoneNumber: string, organization: string): string => {
  const plain = Buffer.from(phoneNumber.padEnd(paddedLength, "\0"), "latin1")
  const vector = macOf(key, organization, plain)
  const encrypted = createCipheriv("aes-256-ctr", key.cipher, vector).update(plain)
  return key.prefix + Buffer.concat([vector, encrypted]).toString("base64url")
}

const openWith = (key: Key, stored: string, organization: string): string => {
  const bytes = Buffer.from(stored.slice(key.prefix.length), "base64url")
  const vector = bytes.subarray(0, vectorLength)
  if (bytes.length !== vectorLength + paddedLength) throw unreadable(key.id)
  const plain = createDecipheriv("aes-256-ctr", key.cipher, vector).update(
    bytes.subarray(vectorLength),
  )
  if (!timingSafeEqual(macOf(key, organization, plain), vector)) throw unreadable(key.id)
  return plain.toString("latin1").replace(/\0+$/, "")
}

/** No message contains a phone number. */
const unreadable = (id: string): Error =>
  new Error(
    `A stored phone number does not belong to its row, or its key "${id}" has another secret`,
  )

/** Shows whether a key has the secret that it had before, without showing the secret. */
export const fingerprintOf = (key: NumberKey): string =>
  createHmac("sha256", keyOf(key).mac).update("fingerprint").digest("base64url")

/**
 * Creates the cipher. The first key is the current one. `hasPlain`: rows may contain numbers that are not
 * encrypted.
 */
export const make = (
  configured: readonly [NumberKey, ...ReadonlyArray<NumberKey>],
  hasPlain: boolean,
): NumberCipher => {
  const [first, ...others] = configured
  const current = keyOf(first)
  const retiring = others.map(keyOf)
  const keys = [current, ...retiring]
  // A send writes and reads the same number several times.
  const sealed = new Memory()
  const opened = new Memory()

  const seal: Seal = (phoneNumber, organization) => {
    // A pseudonym, for example, is stored as it is.
    if (!isE164(phoneNumber)) {
      if (!phoneNumber.startsWith("$")) return phoneNumber
      throw new TypeError("This value looks like an encrypted phone number")
    }
    const name = `${organization} ${phoneNumber}`
    const known = sealed.get(name)
    if (known !== undefined) return known
    const form = sealWith(current, phoneNumber, organization)
    sealed.set(name, form)
    opened.set(`${organization} ${form}`, phoneNumber)
    return form
  }

  const plainOf = (stored: string, organization: string): string => {
    if (!stored.startsWith("$")) return stored
    const name = `${organization} ${stored}`
    const known = opened.get(name)
    if (known !== undefined) return known
    const key = keys.find(({ prefix }) => stored.startsWith(prefix))
    if (key === undefined) {
      throw new Error(`No key of numberKeys has the id "${stored.split("$")[1] ?? ""}" of a row`)
    }
    const phoneNumber = openWith(key, stored, organization)
    opened.set(name, phoneNumber)
    return phoneNumber
  }

  const renew: NumberCipher["renew"] = (stored, organization) => {
    if (stored.startsWith(current.prefix)) return undefined
    const form = seal(plainOf(stored, organization), organization)
    return form === stored ? undefined : form
  }

  const openRow = (row: Row): Row => {
    const { organization, phone_number: stored } = row
    if (typeof stored !== "string" || typeof organization !== "string") return row
    const phoneNumber = plainOf(stored, organization)
    const isStale = !stored.startsWith(current.prefix) && isE164(phoneNumber)
    return isStale
      ? { ...row, phone_number: phoneNumber, stale_phone_number: stored }
      : { ...row, phone_number: phoneNumber }
  }

  return {
    id: current.id,
    seal,
    forms: (phoneNumber, organization) =>
      isE164(phoneNumber)
        ? [
            seal(phoneNumber, organization),
            ...retiring.map((key) => sealWith(key, phoneNumber, organization)),
            ...(hasPlain ? [phoneNumber] : []),
          ]
        : [phoneNumber],
    count: keys.length + Number(hasPlain),
    renew,
    open: (rows) => rows.map(openRow),
  }
}
