import { assert, describe, it } from "vitest"
import { finderOf, formsOf, markerText } from "./canaries.ts"

const place = (written: Buffer | string) => [{ name: "a file", read: () => written }]

const secret = { what: "a secret", text: 'pepper "ঝাল" of 42' }
const code = { what: "a code", text: "0987654321" }
const { all, problems } = finderOf([secret, code])

const written = [secret, code].flatMap(({ text, what }) =>
  [...formsOf(text)].map(([written, form]) => [`${what}, ${form}`, written] as const),
)

describe("A search for secrets", () => {
  it.each(written)("finds %s, between any bytes", (what, written) => {
    for (const before of ["", "x", "\u0000\u00ff1", "long ".repeat(1_000)]) {
      assert.deepStrictEqual(all(`${before}${written}`), [what])
      assert.deepStrictEqual(all(`${before}${written}9\n${written}`), [what, what])
    }
  })

  it("finds base64 at each alignment", () => {
    for (let before = 0; before < 6; before++) {
      const text = Buffer.from(`${"a".repeat(before)}${secret.text}tail`).toString("base64")
      assert.lengthOf(all(text), 1)
    }
  })

  it.each(written)("does not find a part of %s", (_, written) => {
    assert.deepStrictEqual(all(written.slice(1)), [])
    assert.deepStrictEqual(all(written.slice(0, -1)), [])
  })

  it("does not take the time for a code", () => {
    const now = String(Date.now())
    const { all } = finderOf([{ what: "a code", text: now.slice(0, 10) }])
    assert.deepStrictEqual(all(`at ${now} and ${now}123`), [])
    assert.deepStrictEqual(all(`at ${now.slice(0, 10)}`), ["a code, raw"])
  })

  it("says which forms of the marker are missing, and finds all of them", () => {
    assert.deepStrictEqual(problems(place(markerText)), [])
    assert.deepStrictEqual(problems(place(JSON.stringify({ text: markerText }))), [])
    assert.include(problems(place("nothing")), "the marker, hexadecimal is found nowhere")
    assert.deepStrictEqual(problems(place(`${markerText} 0987654321`)), ["a code, raw in a file"])
  })

  it("refuses secrets that would be found by chance", () => {
    assert.throws(() => finderOf([{ what: "a code", text: "123456" }]), /too short/)
  })
})
