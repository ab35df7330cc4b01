/**
 * Secrets of a running service, and the search for them in everything that it writes.
 *
 * A search takes one pass for any number of secrets. It first compares a hash of eight bytes at each place of the
 * content.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Canary {
  /** Names the secret without showing it. */
  readonly what: string
  readonly text: string
}

const utf8 = (text: string): Buffer => Buffer.from(text)

const hexOf = (text: string): ReadonlyArray<string> =>
  [...utf8(text)].map((byte) => byte.toString(16).padStart(2, "0"))

/** The base64 letters that depend on the text alone if `before` bytes precede it. */
const base64After = (before: number, text: string): string => {
  const bytes = Buffer.concat([Buffer.alloc(before), utf8(text)])
  return bytes
    .toString("base64")
    .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

const escapesOf = (text: string, backslash: string): string =>
  Array.from(
    { length: text.length },
    (_, index) => `${backslash}u${text.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("")

/** The forms in which a text could be written by accident, each with its name. */
export const formsOf = (text: string): ReadonlyMap<string, string> => {
  const forms: ReadonlyArray<readonly [written: string, form: string]> = [
    [text, "raw"],
    [hexOf(text).join(""), "hexadecimal"],
    [base64After(0, text), "base64"],
    [base64After(1, text), "base64 after one byte"],
    [base64After(2, text), "base64 after two bytes"],
    [
      hexOf(text)
        .map((byte) => `%${byte.toUpperCase()}`)
        .join(""),
      "percent-encoded",
    ],
    [encodeURIComponent(text), "percent-encoded where necessary"],
    [JSON.stringify(text).slice(1, -1), "JSON"],
    [escapesOf(text, "\\"), "JSON escapes"],
    // The escapes of a text within one text, and within two.
    [escapesOf(text, "\\\\"), "JSON escapes"],
    [escapesOf(text, "\\\\\\\\"), "JSON escapes"],
    [[...text].toReversed().join(""), "reversed"],
  ]
  // Of equal forms, the first names them.
  return new Map(forms.toReversed())
}

/** A text that is written on purpose. It shows that a search finds every form. */
export const marker: Canary = { what: "the marker", text: "Märker-Ÿ-742" }

/** The marker in all of its forms. */
export const markerText: string = [...formsOf(marker.text).keys()].join(" ")

/** Minimum number of bytes of a form. Shorter ones would be found by chance. */
const fewest = 8

const hashes = 1 << 24

const hash = (high: number, low: number): number =>
  (Math.imul(high, 0x9e3779b1) ^ Math.imul(low, 0x85ebca6b)) >>> 8

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39

const dayMillis = 86_400_000

/** Whether the digits of a place are a part of a time of today, in milliseconds or microseconds. */
const isInTime = (content: Buffer, place: number): boolean => {
  let [first, end] = [place, place]
  while (isDigit(content[first - 1])) first -= 1
  while (isDigit(content[end])) end += 1
  const time = Number(content.toString("latin1", first, end))
  return [1, 1_000].some((unit) => Math.abs(time / unit - Date.now()) < dayMillis)
}

interface Form {
  readonly what: string
  readonly form: string
  readonly bytes: Buffer
}

/** Something that was written: a file, or what was collected. */
export interface Place {
  readonly name: string
  readonly read: () => Buffer | string
}

const nameOf = ({ form, what }: Pick<Form, "form" | "what">): string => `${what}, ${form}`

/** Finds secrets, and the marker. */
export const finderOf = (canaries: ReadonlyArray<Canary>) => {
  const known = new Uint8Array(hashes)
  const byStart = new Map<string, Array<Form>>()
  for (const { text, what } of [...canaries, marker]) {
    for (const [written, form] of formsOf(text)) {
      const bytes = utf8(written)
      if (bytes.length < fewest) throw new Error(`${what} is too short to be searched for`)
      const start = bytes.toString("latin1", 0, fewest)
      const others = byStart.get(start)
      if (others === undefined) byStart.set(start, [{ what, form, bytes }])
      else others.push({ what, form, bytes })
      known[hash(bytes.readInt32BE(0), bytes.readInt32BE(4))] = 1
    }
  }

  /** Everything that is found, as often as it is there. */
  const all = (written: Buffer | string): ReadonlyArray<string> => {
    const content = typeof written === "string" ? utf8(written) : written
    const hits: Array<string> = []
    let [high, low] = [0, 0]
    for (let end = 1; end <= content.length; end++) {
      high = (high << 8) | (low >>> 24)
      low = (low << 8) | (content[end - 1] ?? 0)
      if (known[hash(high, low)] === 0 || end < fewest) continue
      const place = end - fewest
      for (const one of byStart.get(content.toString("latin1", place, end)) ?? []) {
        const isThere = content.subarray(place, place + one.bytes.length).equals(one.bytes)
        if (isThere && !(one.bytes.every(isDigit) && isInTime(content, place)))
          hits.push(nameOf(one))
      }
    }
    return hits
  }

  const markers = new Set(
    [...formsOf(marker.text).values()].map((form) => nameOf({ what: marker.what, form })),
  )

  /** The secrets that are found, and the forms of the marker that are not. */
  const problems = (places: ReadonlyArray<Place>): ReadonlyArray<string> => {
    const missing = new Set(markers)
    const found = new Set<string>()
    for (const { name, read } of places) {
      for (const hit of all(read())) {
        if (markers.has(hit)) missing.delete(hit)
        else found.add(`${hit} in ${name}`)
      }
    }
    return [...found, ...[...missing].map((form) => `${form} is found nowhere`)]
  }

  return { all, problems }
}

/** Reads a file; one that the server has removed is empty. */
const readIfThere = (file: string): Buffer =>
  existsSync(file) ? readFileSync(file) : Buffer.alloc(0)

/** The files below a folder. */
export const filesBelow = (folder: string): ReadonlyArray<Place> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ name: file, read: () => readIfThere(file) }))
