/** The codes of the engine, from the generator of the operating system. `test/soak/Codes.soak.test.ts` draws more. */
import { assert, describe, it } from "vitest"
import { type CodeStatistics, statisticsOf } from "./support/codeStatistics.ts"
import { drawing, lengths } from "./support/drawnCodes.ts"

const count = 20_000

/** Once in a billion. */
const improbable = 6

const greatest = ({ first, last, repeats }: CodeStatistics) =>
  Math.max(first, last, Math.abs(repeats))

const of = (length: number, codeOf: (index: number) => number) =>
  greatest(
    statisticsOf(
      length,
      Array.from({ length: count }, (_, index) => String(codeOf(index)).padStart(length, "0")),
      count,
    ) ?? assert.fail("not a code"),
  )

const draw = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0

describe("Codes", () => {
  it.each(lengths)("of %i digits are uniform, and repeat as often as by chance", async (length) => {
    using codes = await drawing(length)
    const statistics = statisticsOf(length, codes.take(count), count)
    assert.isBelow(greatest(statistics ?? assert.fail("not a code")), improbable)
  })

  it("of a good generator pass", () => {
    assert.isBelow(
      of(6, () => draw() % 1_000_000),
      improbable,
    )
  })

  it.each([
    ["have no zero in front", 4, () => 1_000 + (draw() % 9_000)],
    ["are from 16 bits", 6, () => draw() % 65_536],
    ["are the remainders of 14 bits", 4, () => (draw() % 16_384) % 10_000],
    ["come twice", 9, (index: number) => (index >> 1) * 49_999],
    ["come in turn", 4, (index: number) => index % 10_000],
  ])("that %s are found", (_, length, codeOf) => {
    assert.isAbove(of(length, codeOf), improbable)
  })
})
