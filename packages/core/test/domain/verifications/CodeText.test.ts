import { assert, describe, it } from "vitest"
import { normalize } from "../../../src/domain/verifications/CodeText.ts"

const code = "730164"

/** In digits of another script, whose nought is given. */
const shifted = (text: string, nought: number): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(nought + Number(digit)))

const inBangla = shifted(code, 0x09e6)

/** The code with a text in its middle. */
const split = (by: string): string => code.slice(0, 3) + by + code.slice(3)

describe("the text of a code", () => {
  it.each([
    ["a space", split(" ")],
    ["a hyphen", split("-")],
    ["every Unicode white space", split("\t\n\v\f\r \u0085\u00a0\u1680\u2007")],
    ["the rest of it", split("\u2028\u2029\u202f\u205f\u3000")],
    ["zero-width characters", split("\u200b\u200c\u200d\u2060\ufeff")],
    ["marks of direction", `\u2068\u202a\u200e${code}\u200f\u202c\u2069`],
    ["dashes", split("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad")],
    ["Bangla digits", inBangla],
    ["some Bangla digits", code.slice(0, 3) + inBangla.slice(3)],
    ["a space, in Bangla digits", `${inBangla.slice(0, 3)} ${inBangla.slice(3)}`],
    ["26 spaces around it", `${" ".repeat(13)}${code}${" ".repeat(13)}`],
  ])("is the same with %s", (_, typed) => {
    assert.strictEqual(normalize(typed), code)
  })

  it.each([
    ["a digit less", code.slice(1)],
    ["a digit more", `${code}0`],
    ["another digit after a space", " 730165"],
    ["a letter after it", `${code}x`],
    ["a letter within it", split("o")],
    ["a plus", `+${code}`],
    ["a dot", split(".")],
    ["spaces alone", "   "],
    ["a hyphen alone", "-"],
    ["digits of another script", shifted(code, 0x0966)],
    ["full-width digits", shifted(code, 0xff10)],
    ["half a character", "\ud83d"],
    ["NUL", "\u0000"],
  ])("is another with %s", (_, typed) => {
    assert.notStrictEqual(normalize(typed), code)
  })
})
