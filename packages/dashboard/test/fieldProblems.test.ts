import { assert, describe, it } from "vitest"
import { bangla } from "../app/i18n/bn/bn.ts"
import { english } from "../app/i18n/en/en.ts"
import { makeFormat } from "../app/i18n/format.ts"
import { byLimit, problemText } from "../app/ui/fieldProblems.ts"

const inEnglish = { t: english, format: makeFormat("en") }
const inBangla = { t: bangla, format: makeFormat("bn") }

describe("the sentence of a problem", () => {
  it("has the values in the words and digits of the reader", () => {
    const range = { code: "out_of_range", params: { min: 1, max: 1_000 }, message: "" }
    assert.strictEqual(problemText(range, inEnglish), "must be between 1 and 1,000")
    assert.strictEqual(problemText(range, inBangla), "১ থেকে ১,০০০-এর মধ্যে হতে হবে")
    const reused = {
      code: "payment_id_reused",
      params: { kind: "top-up", amount: "50.5" },
      message: "",
    }
    assert.strictEqual(
      problemText(reused, inEnglish),
      "was booked with other values: Top-up of 50.50",
    )
    assert.strictEqual(problemText(reused, inBangla), "অন্য মানে হিসাবে উঠেছে: টপ-আপ, ৫০.৫০")
    const entry = { code: "not_prefix", params: { entry: "1.5" }, message: "" }
    assert.include(problemText(entry, inBangla), "“1.5”")
  })

  it("is the one of the service for a code that is not translated", () => {
    for (const code of ["number_not_accepted", "address_not_allowed", "invalid"])
      assert.strictEqual(
        problemText({ code, params: { reason: "no" }, message: "no" }, inBangla),
        "no",
      )
  })
})

it("finds the limit of a problem by its path, whether in a parameter or in the field", () => {
  const problem = (code: string, limit?: string) => ({
    code,
    params: { ...(limit !== undefined && { limit }) },
    message: "",
  })
  const attempts = problem("limit_out_of_range", "attempts")
  const window = problem("limit_out_of_range", "sendsPerNumber.1.max")
  const text = problem("invalid")
  assert.deepStrictEqual(byLimit({ limits: [attempts, window], "limits.resends": [text] }), {
    attempts: [attempts],
    sendsPerNumber: [window],
    resends: [text],
  })
  // What concerns no single limit keeps its field.
  assert.deepStrictEqual(byLimit({ limits: [text] }), { limits: [text] })
})
