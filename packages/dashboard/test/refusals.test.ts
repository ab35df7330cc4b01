import { assert, describe, it } from "vitest"
import { bangla } from "../app/i18n/bn/bn.ts"
import { english } from "../app/i18n/en/en.ts"
import { makeFormat } from "../app/i18n/format.ts"
import { byLimit, problemText, refusalText } from "../app/ui/refusals.ts"

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
    const bounds = { min: "1 second", max: "7 days" }
    const duration = { code: "limit_duration_out_of_range", params: bounds, message: "" }
    assert.strictEqual(problemText(duration, inEnglish), "must be between 1 second and 7 days")
    assert.strictEqual(problemText(duration, inBangla), "১ সেকেন্ড থেকে ৭ দিন-এর মধ্যে হতে হবে")
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

describe("the sentence of an error", () => {
  const low = { code: "insufficient_balance", params: { required: "1.00", available: "0.5000" } }

  it("has its values in the digits of the reader", () => {
    assert.include(refusalText(low, inEnglish), "1.00 is needed, and 0.5000 is available")
    assert.strictEqual(refusalText(low, inBangla), "ব্যালেন্স যথেষ্ট নয়: ১.০০ লাগবে, আছে ০.৫০০০।")
  })

  it("tells the reason, if there is a sentence for it", () => {
    const limited = (reason: string) =>
      refusalText({ code: "rate_limited", params: { reason } }, inEnglish)
    assert.strictEqual(limited("spending"), "Daily spending cap reached.")
    assert.isUndefined(limited("unknown"))
    const failed = { code: "sending_failed", params: { status: "failed" } }
    assert.strictEqual(refusalText(failed, inEnglish), "The message could not be sent.")
  })

  it("does not exist for a code whose status says as much", () => {
    assert.isUndefined(refusalText({ code: "unavailable", params: {} }, inBangla))
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
