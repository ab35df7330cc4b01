import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import { Senders } from "../../src/services/Senders.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import * as Segments from "../../src/text/Segments.ts"
import * as TextLint from "../../src/text/TextLint.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import * as Templates from "../../src/text/Templates.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { untyped } from "../support/untyped.ts"
import { send } from "../support/verifying.ts"

const { standard } = Templates

const acme = OrganizationId("acme")
const other = OrganizationId("other")

const input = (overrides: Partial<Templates.TextInput> = {}): Templates.TextInput => ({
  organization: acme,
  locale: "en-us",
  channel: "sms",
  code: "012345",
  expirySeconds: 300,
  senderName: undefined,
  ...overrides,
})

const payment = { amount: "BDT 500", payee: "Rahim Store" }

const render = (locale: string, code: string, senderName?: string) =>
  standard.render(input({ locale, code, senderName }))

describe("Templates.standard", () => {
  it("supports English and Bangla", () => {
    assert.deepStrictEqual(standard.locales, ["en-us", "bn-bd"])
    assert.include(standard.locales, standard.defaultLocale)
  })

  it.each([
    ["en-us", undefined, "012345 is your verification code. Do not share it with anyone."],
    ["en-us", "ACME", "012345 is your ACME verification code. Do not share it with anyone."],
    ["bn-bd", undefined, "012345 আপনার যাচাই কোড। কোডটি কাউকে জানাবেন না।"],
    ["bn-bd", "ACME", "012345 আপনার ACME যাচাই কোড। কাউকে জানাবেন না।"],
  ])("%s by %s: %s", (locale, senderName, text) => {
    assert.strictEqual(render(locale, "012345", senderName), text)
  })

  it.each([
    ["en-us", "012345 is your code to pay BDT 500 to Rahim Store. Do not share it with anyone."],
    ["bn-bd", "012345 Rahim Store-কে BDT 500 পরিশোধের কোড। কাউকে জানাবেন না।"],
  ])("name the payment in %s: %s", (locale, text) => {
    for (const senderName of [undefined, "ACME"]) {
      assert.strictEqual(standard.render(input({ locale, senderName, payment })), text)
    }
    const longest = input({ locale, code: "0123456789", payment })
    assert.strictEqual(Segments.count(standard.render(longest)).segments, 1)
    assert.deepStrictEqual(TextLint.lint(standard.render, { locale, payment }), [])
  })

  it("cost two segments at most if the payment has the greatest length", () => {
    const longest = { amount: "x".repeat(64), payee: "y".repeat(64) }
    const text = standard.render(input({ code: "0123456789", payment: longest }))
    assert.deepInclude(Segments.count(text), { encoding: "gsm7", segments: 2 })
  })

  it("masks a code without showing its length", () => {
    assert.strictEqual(render("en-us", Templates.maskedCode).match(/\p{Nd}/u), null)
    assert.strictEqual(Templates.maskedCode, "••••••")
  })
})

const entry = (
  locale: string,
  organization: OrganizationId | undefined,
  senderName: string | undefined,
): Templates.Entry => ({
  locale,
  organization,
  senderName,
  template: ({ code }) => `${organization ?? "any"} ${senderName ?? "any"} ${locale} ${code}`,
})

const everything = [
  entry("en-us", undefined, undefined),
  entry("bn-bd", undefined, undefined),
  entry("en-us", acme, "ACME"),
  entry("en-us", acme, undefined),
  entry("en-us", undefined, "ACME"),
  entry("en-us", undefined, "OTHER"),
  entry("bn-bd", acme, "ACME"),
] as const

describe("Templates.make", () => {
  it.each([
    ["an organization's text for a name before all others", acme, "ACME", "en-us", "acme ACME"],
    ["an organization's text before that of a name", acme, "OTHER", "en-us", "acme any"],
    ["an organization's text where no name sends", acme, undefined, "en-us", "acme any"],
    ["the text of a name before the general text", other, "ACME", "en-us", "any ACME"],
    ["the general text otherwise", other, "UNKNOWN", "en-us", "any any"],
    ["the general text if no name sends", other, undefined, "en-us", "any any"],
    ["an organization's text for a name in this language", acme, "ACME", "bn-bd", "acme ACME"],
    ["the language before the organization", acme, undefined, "bn-bd", "any any"],
    ["the language before the name", other, "ACME", "bn-bd", "any any"],
  ])("takes %s", (_what, organization, senderName, locale, expected) => {
    const templates = Templates.make(everything)
    const text = templates.render(input({ organization, senderName, locale }))
    assert.strictEqual(text, `${expected} ${locale} 012345`)
  })

  it("offers each locale once, and the first by default", () => {
    const { defaultLocale, locales } = Templates.make(everything)
    assert.deepStrictEqual([defaultLocale, locales], ["en-us", ["en-us", "bn-bd"]])
  })

  it.effect("receives the sending organization and masking name", () =>
    Effect.gen(function* () {
      const mine = yield* TestEngine.open({ id: "acme" })
      const theirs = yield* TestEngine.open({ id: "other" })
      for (const { organization } of [mine, theirs]) {
        const mask = { organization, kind: "masking", sender: "ACME", status: "approved" } as const
        yield* Senders.use((_) => _.save(mask))
        yield* send(organization, { sender: "ACME" })
        yield* send(organization)
        yield* send(organization, { locale: "bn-bd" })
      }
      const journal = yield* SimulatedGateway.use((_) => _.journal())
      assert.sameMembers(
        journal.map(({ text }) => text.replace(/ \d+$/, "")),
        [
          "acme ACME en-us",
          "acme any en-us",
          "any any bn-bd",
          "any ACME en-us",
          "any any en-us",
          "any any bn-bd",
        ],
      )
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Templates.Templates, Templates.make(everything)),
    ),
  )

  it("rejects a locale that has no text for some organizations", () => {
    const all = entry("en-us", undefined, undefined)
    assert.throws(() => Templates.make([all, entry("de-de", acme, undefined)]), /de-de/)
    assert.throws(() => Templates.make([entry("de-de", undefined, "ACME")]), /de-de/)
  })

  it("rejects two texts for the same case", () => {
    for (const twice of everything) {
      assert.throws(() => Templates.make([...everything, twice]), TypeError)
    }
  })

  it("throws for a locale that it does not offer", () => {
    assert.throws(() => standard.render(input({ locale: "fr-fr" })), TypeError)
  })
})

describe("Templates.textProblem", () => {
  it.each<readonly [string, string | undefined]>([
    ["012345", undefined],
    ["line\n\tand 012345", undefined],
    [`012345${"x".repeat(1_594)}`, undefined],
    [`012345${"x".repeat(1_595)}`, "must have between 1 and 1600 characters"],
    ["", "must have between 1 and 1600 characters"],
    ["012345 \u0000", "must be well-formed Unicode without NUL characters"],
    ["012345 \ud800", "must be well-formed Unicode without NUL characters"],
    ["12345", "must hold the code"],
  ])("of %j: %s", (text, problem) => {
    assert.strictEqual(Templates.textProblem(text, "012345"), problem)
  })

  it.each<readonly [string, string | undefined]>([
    ["012345: BDT 500 to Rahim Store", undefined],
    ["012345: BDT 500", "must hold the amount and the payee of the payment"],
    ["012345: BDT 50 to Rahim Store", "must hold the amount and the payee of the payment"],
    ["BDT 500 to Rahim Store", "must hold the code"],
  ])("of %j, for a payment: %s", (text, problem) => {
    assert.strictEqual(Templates.textProblem(text, "012345", payment), problem)
  })

  it.each([undefined, null, 12_345, { text: "012345" }])("of %j: no text", (text) => {
    assert.strictEqual(Templates.textProblem(text, "012345"), "must be a string")
  })
})

const throwing: Templates.Template = ({ code }) => {
  throw new Error(`cannot write ${code}`)
}

describe("A template whose text cannot be sent", () => {
  const whenNotMasked =
    (write: (code: string) => unknown): Templates.Template =>
    ({ code }) =>
      code === Templates.maskedCode || /^0+$/.test(code)
        ? `${code}: ${payment.amount} to ${payment.payee}`
        : untyped(write(code))

  it.effect.each<readonly [string, Templates.Template, string]>([
    ["throws", throwing, "must not throw"],
    ["gives a promise", untyped(async () => "a promise"), "must be a string"],
    [
      "does not name the payment",
      ({ code }) => `for ${code}`,
      "must hold the amount and the payee",
    ],
    ["reads the code as a number", whenNotMasked(() => "your code: NaN"), "must hold the code"],
  ])("fails the request before anything is charged: it %s", ([, template, problem]) =>
    Effect.gen(function* () {
      const registry = new Map()
      const lines: Array<unknown> = []
      const { failures, organization } = yield* Effect.gen(function* () {
        const opened = yield* TestEngine.open()
        const failing = Effect.flip(send(opened.organization, { payment }))
        return { ...opened, failures: yield* Effect.replicateEffect(failing, 2) }
      }).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))])),
        Effect.provideService(Telemetry.LoggedSources, new Map()),
        Effect.provideService(Metric.MetricRegistry, registry),
      )
      for (const failure of failures) assert.deepInclude(failure, { status: "failed" })
      assert.deepStrictEqual(yield* logOf(organization), [])
      assert.strictEqual(yield* moneyOf(organization), "100.00 + 0.00 held, 1 entries")
      assert.deepStrictEqual(yield* SimulatedGateway.use((_) => _.journal()), [])
      assert.lengthOf(lines, 1)
      assert.include(JSON.stringify(lines), `"problem":"the text ${problem}`)
      const [metric] = yield* Effect.provideService(
        Metric.snapshot,
        Metric.MetricRegistry,
        registry,
      ).pipe(Effect.map((all) => all.filter(({ id }) => id === "countersign_unreadable_total")))
      assert.deepStrictEqual(metric?.attributes, { kind: "template" })
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Templates.Templates, Templates.make([{ locale: "en-us", template }])),
    ),
  )
})
