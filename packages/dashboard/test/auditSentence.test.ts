import { assert, describe, it } from "vitest"
import type { AuditRecord } from "../app/api/types.ts"
import type { Locale } from "../app/base.ts"
import { limitLabels } from "../app/generated/limitLabels.ts"
import { bangla } from "../app/i18n/bn/bn.ts"
import { audit as english } from "../app/i18n/en/audit.ts"
import { makeFormat } from "../app/i18n/format.ts"
import { shownLimit } from "../app/i18n/limitWords.ts"
import { changesOf } from "../app/pages/audit/changes.ts"
import { sentenceOf, type Words } from "../app/pages/audit/sentence.ts"

/** The labels of limits, which are among the texts of the settings. */
const bengaliLimits = Object.fromEntries(
  Object.entries(bangla.settings).filter(([name]) => name in limitLabels),
)

const wordsOf = (locale: Locale): Words => ({
  t: locale === "en" ? english.audit : bangla.audit,
  limits: locale === "en" ? limitLabels : bengaliLimits,
  number: makeFormat(locale).number,
  time: (iso) => iso.slice(0, 10),
  limit: (text) => shownLimit(text, locale),
})

const entry = (given: Partial<AuditRecord>): AuditRecord => ({
  sequence: 1,
  at: "2026-11-27T00:00:00.000Z",
  actor: "00u1",
  actorName: "Amir",
  origin: null,
  action: "organization.changed",
  target: "acme",
  before: null,
  after: null,
  reason: null,
  ...given,
})

const settings = { name: "Acme", allowList: [], limits: {}, isSuspended: false, balanceLowAt: null }
const window = (max: number) => ({ max, windowMillis: 60_000 })
const limited = (limits: object) => ({ ...settings, limits })

describe("the sentence of an entry", () => {
  it.each([
    [
      {
        before: limited({ sendsPerNumber: window(5) }),
        after: limited({ sendsPerNumber: window(10) }),
      },
      "Amir raised Codes for one phone number from 5 in 1 minute to 10 in 1 minute",
      "Amir এক নম্বরে কোড ১ মিনিটে ৫ থেকে বাড়িয়ে ১ মিনিটে ১০ করেছেন",
    ],
    [
      { before: limited({ attempts: 9 }), after: limited({ attempts: 4 }) },
      "Amir lowered Wrong codes after which a request fails from 9 to 4",
      "৯ থেকে কমিয়ে ৪ করেছেন",
    ],
    [
      { before: settings, after: { ...settings, balanceLowAt: "20.00" } },
      "Amir set the warning of a low balance to 20.00",
      "কম ব্যালেন্সের সীমা 20.00 করেছেন",
    ],
    [
      { before: limited({ spendPerDay: "5.00" }), after: settings },
      "Amir removed Amount that may be spent in a day (UTC), which was 5.00",
      "সরিয়েছেন, আগে ছিল 5.00",
    ],
    [
      { before: settings, after: { ...settings, isSuspended: true } },
      "Amir suspended the organization",
      "Amir প্রতিষ্ঠানটি স্থগিত করেছেন",
    ],
    [
      {
        before: settings,
        after: {
          ...settings,
          name: "B",
          allowList: ["10.0.0.0/8"],
          balanceLowAt: "1.00",
          limits: { attempts: 3 },
        },
      },
      "Amir changed Name from Acme to B; set the allow list to 10.0.0.0/8; set the warning of a low balance to 1.00; and 1 more",
      "এবং আরও ১টি",
    ],
    [
      { action: "api_key.created", target: "key_1", after: { name: "Backend", revokedAt: null } },
      "Amir created the API key Backend",
      "Amir API কী Backend তৈরি করেছেন",
    ],
    [
      { action: "account.topped_up", before: { balance: "10.00" }, after: { balance: "60.00" } },
      "Amir topped the balance up (raised the balance from 10.00 to 60.00)",
      "ব্যালেন্স 10.00 থেকে বাড়িয়ে 60.00 করেছেন",
    ],
    [
      { action: "guesses.reset", target: "+8801*****678", actor: "host", actorName: null },
      "The host forgot the wrong codes for +8801*****678",
      "হোস্ট +8801*****678 নম্বরের ভুল কোড মুছেছেন",
    ],
    [
      { action: "login", target: "page", actorName: null },
      "00u1 did login page",
      "00u1 login page করেছেন",
    ],
  ])("%o", (given, inEnglish, inBangla) => {
    assert.strictEqual(sentenceOf(wordsOf("en"), entry(given)), inEnglish)
    assert.include(sentenceOf(wordsOf("bn"), entry(given)), inBangla)
  })
})

it("the changes of an entry are the changed fields only, in any order of their members", () => {
  const before = limited({ sendsPerNumber: { max: 5, windowMillis: 1 }, attempts: 2 })
  const after = limited({ attempts: 3, sendsPerNumber: { windowMillis: 1, max: 5 } })
  assert.deepStrictEqual(changesOf({ before, after }), [{ field: "attempts", before: 2, after: 3 }])
  assert.deepStrictEqual(changesOf({ before: null, after: null }), [])
})
