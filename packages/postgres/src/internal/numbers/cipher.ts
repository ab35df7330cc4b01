/**
 * Encrypts phone numbers for the database, and texts that may contain one: the ids of gateways, and what repeats them.
 * The same number of the same organization always has the same form under a key, so rows are found by it. So has the
 * same text, of any organization: a report names no organization. The construction is SIV (RFC 5297 describes it). The
 * initialization vector is a MAC of the plaintext, and shows at decryption whether the key and the bytes are right. The
 * MAC here is HMAC-SHA-256, cut to 128 bits, and the cipher is AES-256-CTR.
 */
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import type { Row, Seal, SecretKind } from "../rows/columns.ts"

/** A key that phone numbers are encrypted with. */
export interface NumberKey {
  /** 1 to 32 letters, digits, dots, hyphens and underscores. Never reuse an id for another secret. */
  readonly id: string
  /** At least 32 characters of high entropy. */
  readonly secret: Redacted.Redacted<string>
}

/** Number of bytes of an id. Two secrets have the same id once in 2^72. */
const idLength = 9

/** Returns the key of a secret. The id follows from the secret and does not reveal it. */
export const numberKeyOf = (secret: Redacted.Redacted): NumberKey => ({
  id: Buffer.from(
    Crypto.hkdfSync("sha256", Redacted.value(secret), "", "countersign phone numbers id", idLength),
  ).toString("base64url"),
  secret,
})

/** Returns the forms that a phone number may have in the rows of an organization, the current one first. */
export type FormsOf = (phoneNumber: string, organization: string) => ReadonlyArray<string>

/** The forms that values may have in rows, the current one first. */
export interface Forms {
  readonly number: FormsOf
  readonly text: (text: string) => ReadonlyArray<string>
}

/** The forms in a database without encrypted values. */
export const plainForms: Forms = { number: (phoneNumber) => [phoneNumber], text: (text) => [text] }

export type NumberCipher = ReturnType<typeof make>

interface Key {
  readonly id: string
  /** The beginning of all forms. No E.164 number begins with `$`. */
  readonly prefix: string
  readonly mac: Crypto.KeyObject
  readonly cipher: Crypto.KeyObject
}

const vectorLength = 16

/** All numbers are padded to this length, so that a form does not show the length of its number. */
const paddedLength = 16

const isE164 = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text)

const keyOf = ({ id, secret }: NumberKey): Key => {
  const bytes = Buffer.from(
    Crypto.hkdfSync("sha256", Redacted.value(secret), "", "countersign phone numbers", 64),
  )
  return {
    id,
    prefix: `$${id}$`,
    mac: Crypto.createSecretKey(bytes.subarray(0, 32)),
    cipher: Crypto.createSecretKey(bytes.subarray(32)),
  }
}

/** An organization's part has its length before it, so no two pairs give the same text. */
const macOf = ({ mac }: Key, organization: string, plain: Uint8Array): Buffer =>
  Crypto.createHmac("sha256", mac)
    .update(`${organization.length}:${organization}`)
    .update(plain)
    .digest()
    .subarray(0, vectorLength)

const sealBytes = (key: Key, plain: Uint8Array, organization: string): string => {
  const vector = macOf(key, organization, plain)
  const encrypted = Crypto.createCipheriv("aes-256-ctr", key.cipher, vector).update(plain)
  return key.prefix + Buffer.concat([vector, encrypted]).toString("base64url")
}

const openBytes = (key: Key, stored: string, organization: string): Buffer => {
  const bytes = Buffer.from(stored.slice(key.prefix.length), "base64url")
  const vector = bytes.subarray(0, vectorLength)
  if (vector.length !== vectorLength) throw unreadable(key.id)
  const plain = Crypto.createDecipheriv("aes-256-ctr", key.cipher, vector).update(
    bytes.subarray(vectorLength),
  )
  if (!Crypto.timingSafeEqual(macOf(key, organization, plain), vector)) throw unreadable(key.id)
  return plain
}

const sealWith = (key: Key, phoneNumber: string, organization: string): string =>
  sealBytes(key, Buffer.from(phoneNumber.padEnd(paddedLength, "\0"), "latin1"), organization)

const openWith = (key: Key, stored: string, organization: string): string =>
  openBytes(key, stored, organization).toString("latin1").replace(/\0+$/, "")

/** No organization has an empty id, so no text has the form of a number. */
const noOrganization = ""

const sealText = (key: Key, text: string): string =>
  sealBytes(key, Buffer.from(text, "utf8"), noOrganization)

/** No message contains a phone number. */
const unreadable = (id: string): Error =>
  new Error(
    `A stored phone number does not belong to its row, or its key "${id}" has another secret`,
  )

/** Shows whether a key has the secret that it had before, without showing the secret. */
export const fingerprintOf = (key: NumberKey): string =>
  Crypto.createHmac("sha256", keyOf(key).mac).update("fingerprint").digest("base64url")

/**
 * Creates the cipher. The first key is the current one. `hasPlain`: rows may contain numbers that are not
 * encrypted.
 */
export const make = (
  configured: readonly [NumberKey, ...ReadonlyArray<NumberKey>],
  hasPlain: boolean,
) => {
  const [first, ...others] = configured
  const current = keyOf(first)
  const retiring = others.map(keyOf)
  const keys = [current, ...retiring]
  // A send writes and reads the same number several times.
  const sealed = new Memory()
  const opened = new Memory()

  const sealNumber = (phoneNumber: string, organization: string): string => {
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

  /** A text without the form of a known key is not encrypted. */
  const textOf = (stored: string): string => {
    const key = keys.find(({ prefix }) => stored.startsWith(prefix))
    return key === undefined ? stored : openBytes(key, stored, noOrganization).toString("utf8")
  }

  const seal: Seal = (value, organization, kind) =>
    kind === "text" ? sealText(current, value) : sealNumber(value, organization)

  const renew = (stored: string, organization: string, kind: SecretKind): string | undefined => {
    if (stored.startsWith(current.prefix)) return undefined
    const plain = kind === "text" ? textOf(stored) : plainOf(stored, organization)
    const form = seal(plain, organization, kind)
    return form === stored ? undefined : form
  }

  const openTexts = (row: Row): Row => {
    const { answer, call, evidence, gateway_id: gatewayId } = row
    if (
      typeof gatewayId !== "string" &&
      typeof evidence !== "string" &&
      typeof answer !== "string" &&
      typeof call !== "string"
    )
      return row
    return {
      ...row,
      ...(typeof gatewayId === "string" && { gateway_id: textOf(gatewayId) }),
      ...(typeof evidence === "string" && { evidence: textOf(evidence) }),
      ...(typeof call === "string" && { call: textOf(call) }),
      ...(typeof answer === "string" && { answer: answerOf(answer) }),
    }
  }

  /** No key is kept for answers. A repeat derives an answer that cannot be read from its message. */
  const answerOf = (stored: string): string | null => {
    const text = textOf(stored)
    return text.startsWith("$") ? null : text
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

  const forms: Forms = {
    number: (phoneNumber, organization) =>
      isE164(phoneNumber)
        ? [
            sealNumber(phoneNumber, organization),
            ...retiring.map((key) => sealWith(key, phoneNumber, organization)),
            ...(hasPlain ? [phoneNumber] : []),
          ]
        : [phoneNumber],
    text: (text) => [...keys.map((key) => sealText(key, text)), ...(hasPlain ? [text] : [])],
  }

  return {
    /** The id of the current key. */
    id: current.id,
    /** The beginning of all forms under the current key. */
    prefix: current.prefix,
    /** Returns the form in new rows. A value of the kind `number` that is no phone number stays as it is. */
    seal,
    forms,
    /** The number of forms of a value. With one, SQL can compare the numbers of two rows. */
    count: keys.length + Number(hasPlain),
    /** The form under the current key of a stored value; `undefined` if the value is in that form. */
    renew,
    /** Decrypts the phone numbers and the texts of rows. `stale_phone_number` is the stored form if it is not the current one. */
    open: (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
      rows.map((row) => openTexts(openRow(row))),
  }
}

/** Remembers the last 5,000 to 10,000 texts. Drops many at once, which costs less than dropping the oldest each time. */
class Memory {
  #newer = new Map<string, string>()
  #older = new Map<string, string>()

  get(name: string): string | undefined {
    return this.#newer.get(name) ?? this.#older.get(name)
  }

  set(name: string, value: string): void {
    if (this.#newer.size >= 5_000) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(name, value)
  }
}
