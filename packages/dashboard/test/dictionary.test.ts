import { assert, it } from "vitest"
import { bangla } from "../app/i18n/bn/bn.ts"
import { english } from "../app/i18n/en/en.ts"
import { pageTexts } from "../app/i18n/en/pages.ts"

type Entry = readonly [path: string, text: string]

const entriesOf = (value: unknown, path = ""): ReadonlyArray<Entry> =>
  typeof value === "string"
    ? [[path, value]]
    : Object.entries(value ?? {}).flatMap(([key, inner]) => entriesOf(inner, `${path}/${key}`))

const placeholders = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\{\w+\}|#/g)].map(([found]) => found).toSorted()

const inEnglish = entriesOf({ ...english, ...pageTexts })
const inBangla = new Map(entriesOf(bangla))

it("has the same texts in both languages, and none is empty", () => {
  assert.isAbove(inEnglish.length, 100)
  assert.sameMembers(
    [...inBangla.keys()],
    inEnglish.map(([path]) => path),
  )
  for (const [path, text] of [...inEnglish, ...inBangla])
    assert.notStrictEqual(text.trim(), "", path)
})

it("has the same values inside of a text in both languages", () => {
  for (const [path, text] of inEnglish)
    assert.deepStrictEqual(placeholders(inBangla.get(path) ?? ""), placeholders(text), path)
})

/** Names that Bangla writes as English does. */
const names = new Set(["SMS", "WhatsApp", "API", "URL", "curl", "CSV"])

it("is Bangla in Bangla", () => {
  for (const [path, text] of inBangla)
    assert.isTrue(/[\u0980-\u09ff]/.test(text) || names.has(text), `${path}: ${text}`)
})
