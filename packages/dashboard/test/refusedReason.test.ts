import { assert, it } from "vitest"
import { bangla } from "../app/i18n/bn/bn.ts"
import { english } from "../app/i18n/en/en.ts"
import { batches } from "../app/i18n/en/batches.ts"
import { makeFormat } from "../app/i18n/format.ts"
import { refusedReason } from "../app/pages/batches/refusedReason.ts"

const inEnglish = { t: { ...english, ...batches }, format: makeFormat("en") }
const inBangla = { t: bangla, format: makeFormat("bn") }

it("the reason of a refused row is in the reader's language", () => {
  const problems = {
    phoneNumber: [{ code: "not_e164", params: { plus: "optional" }, message: "in English" }],
    "values.name": [{ code: "required", params: {}, message: "in English" }],
    text: [{ code: "too_long", params: { max: 1_600 }, message: "in English" }],
  }
  assert.strictEqual(
    refusedReason(problems, inEnglish),
    "Phone number: must be in E.164 format, such as +8801712345678; {name}: is required; Text: must be at most 1,600 characters",
  )
  assert.notMatch(refusedReason(problems, inBangla).replaceAll(/E\.164|\{name\}/g, ""), /[a-z]/i)
})
