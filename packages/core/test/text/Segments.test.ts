import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { SegmentedMessage } from "sms-segments-calculator"
import * as splitSms from "split-sms"
import * as Segments from "../../src/text/Segments.ts"

const { count, encodeGsm7, split } = Segments

const rows: ReadonlyArray<
  readonly [what: string, text: string, encoding: string, units: number, n: number, left: number]
> = [
  ["nothing", "", "gsm7", 0, 1, 160],
  ["all that one holds", "a".repeat(160), "gsm7", 160, 1, 0],
  ["one letter more", "a".repeat(161), "gsm7", 161, 2, 145],
  ["81 extended letters: 76 and 5", "€".repeat(81), "gsm7", 162, 2, 143],
  ["an extended letter at the cut", `${"a".repeat(152)}€${"a".repeat(7)}`, "gsm7", 161, 2, 144],
  ["an extended letter before the cut", `${"a".repeat(151)}€${"a".repeat(8)}`, "gsm7", 161, 2, 145],
  ["an extended letter that fills one", `${"a".repeat(158)}€`, "gsm7", 160, 1, 0],
  ["a Bangla letter", "ক", "ucs2", 1, 1, 69],
  ["all that one holds in Bangla", "ক".repeat(70), "ucs2", 70, 1, 0],
  ["one Bangla letter more", "ক".repeat(71), "ucs2", 71, 2, 63],
  ["all that two hold in Bangla", "ক".repeat(134), "ucs2", 134, 2, 0],
  ["36 emoji: 33 and 3", "😀".repeat(36), "ucs2", 72, 2, 61],
  ["an emoji at the cut", `${"ক".repeat(66)}😀${"ক".repeat(3)}`, "ucs2", 71, 2, 62],
  ["extended letters in UCS-2 are letters", `ক${"€".repeat(69)}`, "ucs2", 70, 1, 0],
  ["one curly quotation mark among 160 letters", `${"a".repeat(159)}’`, "ucs2", 160, 3, 41],
]

/** Letters that stand for themselves: none of them joins its neighbours into one sign. */
const plain = [..."aZ0 @_\r\nΔà^{}[]~\\|€\f"]
const beyond = [..."কখগঘঙ০১।’•ç", "😀", "🎉", "📦"]

const letters = (units: ReadonlyArray<string>) =>
  fc.string({ unit: fc.constantFrom(...units), maxLength: 20 })

/** Texts of the given units that end near the end of a segment. */
const texts = (units: ReadonlyArray<string>) =>
  fc
    .tuple(
      letters(units),
      fc.constantFrom(...units),
      fc.integer({ min: 0, max: 480 }),
      letters(units),
    )
    .map(([head, filler, times, tail]) => head + filler.repeat(times) + tail)

const anyText = fc.oneof(texts(plain), texts([...plain, ...beyond]), texts(beyond))

interface Cut {
  readonly encoding: Segments.Encoding
  readonly parts: ReadonlyArray<string>
}

const ours = (text: string): Cut => ({ encoding: Segments.encodingOf(text), parts: split(text) })

const bySplitSms = (text: string): Cut => {
  const { characterSet, parts } = splitSms.split(text)
  return {
    encoding: characterSet === "GSM" ? "gsm7" : "ucs2",
    parts: parts.map(({ content }) => content),
  }
}

const byTwilio = (text: string): Cut => {
  const { encodingName, segments } = new SegmentedMessage(text)
  return {
    encoding: encodingName === "GSM-7" ? "gsm7" : "ucs2",
    // Not its own `map`, which would make another segment, headers included.
    parts: segments.map((segment) =>
      Array.from(segment, (one: { readonly raw?: string }) => one.raw ?? "").join(""),
    ),
  }
}

describe("Segments.count", () => {
  it.each(rows)("%s", (_what, text, encoding, units, segments, remaining) => {
    assert.deepStrictEqual(count(text), { encoding, units, segments, remaining })
  })

  it("returns the exact number of free units", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { encoding, remaining, segments } = count(text)
        const letter = encoding === "gsm7" ? "a" : "ক"
        assert.strictEqual(count(text + letter.repeat(remaining)).segments, segments)
        assert.isAbove(count(text + letter.repeat(remaining + 1)).segments, segments)
      }),
    )
  })

  it("agrees with split-sms on any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const theirs = splitSms.split(text)
        const { remaining, segments, units } = count(text)
        const size = theirs.characterSet === "GSM" ? 1 : 2
        assert.deepStrictEqual(
          [segments, units, remaining],
          [theirs.parts.length, theirs.bytes / size, theirs.remainingInPart],
        )
      }),
      { numRuns: 500 },
    )
  })
})

describe("Segments.split", () => {
  it("cuts where split-sms and sms-segments-calculator cut", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parts = ours(text)
        assert.deepStrictEqual(parts, bySplitSms(text))
        assert.deepStrictEqual(parts, byTwilio(text))
      }),
      { numRuns: 500 },
    )
  })

  it("keeps the text, in maximal parts that fit and split no character", () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.string({ unit: "binary", maxLength: 200, size: "max" })),
        (text) => {
          const { encoding, segments } = count(text)
          const parts = split(text)
          const { part, single } = Segments.capacity[encoding]
          const size = (one: string) =>
            encoding === "gsm7" ? (encodeGsm7(one)?.length ?? Infinity) : one.length
          assert.strictEqual(parts.join(""), text)
          assert.strictEqual(parts.length, segments)
          for (const [index, one] of parts.entries()) {
            assert.isTrue(one.isWellFormed())
            assert.isAtMost(size(one), parts.length === 1 ? single : part)
            const [letter = ""] = parts[index + 1] ?? ""
            if (letter !== "") assert.isAbove(size(one + letter), part)
          }
        },
      ),
    )
  })
})

describe("Segments.encodeGsm7", () => {
  it("agrees with sms-segments-calculator, and adds nothing", () => {
    // The last letter of the alphabet is U+20AC.
    for (let unit = 0; unit <= 0x2fff; unit++) {
      const letter = String.fromCharCode(unit)
      const { encodedChars, encodingName } = new SegmentedMessage(letter)
      const theirs = encodingName === "GSM-7" ? encodedChars.flatMap((one) => one.codeUnits) : []
      const mine = encodeGsm7(letter)
      assert.deepStrictEqual(mine === undefined ? [] : [...mine], theirs, unit.toString(16))
    }
  })

  it.each(["ç", "`", "\t", "\u001b", "•", "’", "০", "ক", "😀", "\ud83d", "a\u00a0b"])(
    "has no code for %j",
    (text) => {
      assert.isUndefined(encodeGsm7(text))
      assert.strictEqual(Segments.encodingOf(text), "ucs2")
    },
  )

  it("lists the unknown letters, each once", () => {
    assert.deepStrictEqual(Segments.lettersBeyondGsm7("a’b’c😀€"), ["’", "😀"])
    assert.deepStrictEqual(Segments.lettersBeyondGsm7("plain [text] for 5 €\r\n"), [])
  })
})
