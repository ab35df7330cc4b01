import { assert, describe, it } from "@effect/vitest"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Limits from "../../src/domain/limits/Limits.ts"
import type { Template } from "../../src/text/Templates.ts"
import * as Templates from "../../src/text/Templates.ts"
import * as TextLint from "../../src/text/TextLint.ts"
import * as WebOtp from "../../src/text/WebOtp.ts"

const options: TextLint.Options = { locale: "en-us" }

const lint = (template: Template, own: Partial<TextLint.Options> = {}) =>
  TextLint.lint(template, { ...options, ...own })

const rulesOf = (template: Template, own: Partial<TextLint.Options> = {}) =>
  lint(template, own).map(({ rule }) => rule)

const inBangla = (code: string): string =>
  code.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

const hash = "abcdEFGH1+/"

/** `•` stands for the code. */
const rows: ReadonlyArray<
  readonly [what: string, text: string, rules: ReadonlyArray<TextLint.Rule>]
> = [
  ["code and word", "• is your code", []],
  ["the word before the code", "Your code: •", []],
  ["the word in capitals", "CODE •", []],
  ["the word in Bangla", "• আপনার কোড", []],
  ["a longer word with it", "Your passcode is •.", []],
  ["more lines after the first", "• is your code.\nDo not share it.", []],

  ["no code", "Here is your code", ["code-missing"]],
  ["nothing", "", ["code-missing"]],

  ["the code late", "Hello!\nYour code is •", ["code-late"]],
  ["no word", "Use • to log in", ["code-unnamed"]],
  ["the word in another line", "• for you\nThis is your code", ["code-unnamed"]],

  ["another number", "• is your code for 24 hours", ["other-number"]],
  ["a number in Bangla digits", "• আপনার কোড, ৫ মিনিট", ["other-number"]],
  ["the code twice", "• is your code. Again: •", ["other-number"]],
  ["digits at the code", "G-• is your code 2", ["other-number"]],
  ["a digit right at the code", "1• is your code", ["other-number"]],

  ["an address", "• is your code for https://example.com/login", ["link"]],
  ["an address without scheme", "• is your code for example.com.", ["link"]],
  ["an address with www", "• is your code for www.example", ["link"]],
  ["a mail address", "• is your code. Help: me@example.org", ["link"]],
  ["a forgotten blank", "• is your code.Do not share it", ["link"]],
  ["an abbreviation, which is not a link", "• is your code, e.g. for logging in", []],
  ["a Bangla sentence, which is not a link", "• আপনার কোড।কাউকে জানাবেন না", []],

  ["two segments", `• is your code${"!".repeat(146)}`, ["segments"]],
  ["one segment, just so", `• is your code${"!".repeat(137)}`, []],
  ["two segments with the longest code only", `• is your code${"!".repeat(138)}`, ["segments"]],
  ["one segment of Bangla, just so", `• কোড${"ক".repeat(56)}`, []],
  ["two segments of Bangla", `• কোড${"ক".repeat(57)}`, ["segments"]],

  ["a curly quotation mark", "• is your code. Don’t share it", ["letters"]],
  ["a dash and an emoji", "• is your code – 🙂", ["letters"]],
  ["letters of the extension table", "• is your [code] €é", []],
  ["a curly mark that makes it two", `• code ’${"!".repeat(60)}`, ["segments", "letters"]],

  ["the domain last", "• is your code\n@example.com #•", []],
  ["a blank line before the domain", "• is your code\n\n@example.com #•", []],
  ["a domain with digits", "• is your code\n@4u.example #•", []],
  ["the hash before the domain", `• is your code\n${hash}\n@example.com #•`, []],
  ["the hash last", `• is your code\n${hash}`, []],
  ["the domain before the hash", `• is your code\n@example.com #•\n${hash}`, ["domain-line"]],
  ["something after the domain", "• is your code\n@example.com #• .", ["domain-line"]],
  ["another code after the domain", "• is your code\n@example.com #123", ["domain-line"]],
  ["an empty line after the domain", "• is your code\n@example.com #•\n", ["domain-line"]],
  ["a scheme before the domain", "• is your code\n@https://example.com #•", ["domain-line"]],
  ["the code nowhere but after the domain", "Welcome\n@example.com #•", ["code-missing"]],

  ["140 bytes with a hash", `• is your code${"!".repeat(105)}\n${hash}`, []],
  ["141 bytes with a hash", `• is your code${"!".repeat(106)}\n${hash}`, ["retriever-size"]],
  ["141 bytes without one", `• is your code${"!".repeat(118)}`, []],
  ["140 bytes of Bangla with a hash", `• কোড${"ক".repeat(44)}\n${hash}`, []],
  [
    "142 bytes of Bangla with a hash",
    `• কোড${"ক".repeat(45)}\n${hash}`,
    ["segments", "retriever-size"],
  ],
  ["140 bytes with a hash at the end of a line", `• is your code${"!".repeat(105)} ${hash}`, []],
  [
    "141 bytes with a hash at the end of a line",
    `• is your code${"!".repeat(106)} ${hash}`,
    ["retriever-size"],
  ],
  [
    "141 bytes with a hash at the end of a line before the domain",
    `• is your code${"!".repeat(81)} ${hash}\n@example.com #•`,
    ["retriever-size"],
  ],
  // Words of 11 letters, which are no hash.
  ...["information", "Information", "INFORMATION", "user/client", "ELEVENCHARS"].map(
    (word) =>
      [
        `141 bytes with ${word} at the end`,
        `• is your code${"!".repeat(106)} ${word}`,
        [],
      ] as const,
  ),
  ["a telephone number at the end", "• is your code, help: +8801234567", ["other-number"]],
]

describe("TextLint.lint", () => {
  it.each(rows)("%s: %j", (_what, text, rules) => {
    assert.deepStrictEqual(
      rulesOf(({ code }) => text.replaceAll("•", code)),
      rules,
    )
  })

  it.each<readonly [what: string, write: (code: string) => string, rule: TextLint.Rule]>([
    ["in Bangla digits", inBangla, "code-digits"],
    [
      "partly in Bangla digits",
      (code) => code.slice(0, 1) + inBangla(code.slice(1)),
      "code-digits",
    ],
    ["cut by a blank", (code) => `${code.slice(0, 2)} ${code.slice(2)}`, "code-split"],
    ["cut by hyphens", (code) => [...code].join("-"), "code-split"],
    ["cut by a line", (code) => `${code.slice(0, 2)}\n${code.slice(2)}`, "code-split"],
    ["backwards", (code) => [...code].toReversed().join(""), "code-missing"],
  ])("recognizes a code that is written %s", (_what, write, rule) => {
    assert.deepStrictEqual(
      rulesOf(({ code }) => `Your code is ${write(code)}`),
      [rule],
    )
  })

  it.each(Templates.standard.locales)("accepts the standard text in %s", (locale) => {
    assert.deepStrictEqual(lint(Templates.standard.render, { locale }), [])
  })

  it("expects the numbers of a payment, and no others", () => {
    const payment = { amount: "BDT 500", payee: "Shop 24" }
    const named: Template = ({ code, payment }) =>
      `${code} is your code: ${payment?.amount} to ${payment?.payee}`
    assert.deepStrictEqual(lint(named, { payment }), [])
    assert.deepStrictEqual(
      rulesOf((input) => `${named(input)}, order 77`, { payment }),
      ["other-number"],
    )
    assert.deepStrictEqual(
      rulesOf((input) => `${named(input)}, ${input.code}`, { payment }),
      ["other-number"],
    )
  })

  it("reports what the lines cost in Bangla: a second segment, and too many bytes", () => {
    const withDomain = WebOtp.withLines(Templates.standard.render, { domain: "example.com" })
    const [warning] = lint(withDomain, { locale: "bn-bd" })
    assert.deepStrictEqual(warning, {
      rule: "segments",
      message:
        "It costs 2 segments with 10 digits and the name ELEVEN-CHAR: it has 82 units, and one holds 70",
      sample: "7390284615 আপনার ELEVEN-CHAR যাচাই কোড। কাউকে জানাবেন না।\n@example.com #7390284615",
    })
    const withHash = WebOtp.withLines(Templates.standard.render, {
      domain: "example.com",
      androidHash: hash,
    })
    assert.deepStrictEqual(rulesOf(withHash, { locale: "bn-bd" }), ["segments", "retriever-size"])
  })

  it("checks every length of code, and the shortest and the longest expiry", () => {
    const combinations = new Set<string>()
    lint((input) => {
      combinations.add(`${input.senderName} ${input.code.length} ${input.expirySeconds}`)
      assert.deepInclude(input, {
        locale: "en-us",
        channel: "sms",
        organization: OrganizationId("example"),
      })
      return `${input.code} is your code`
    })
    const { codeLength, expirySeconds } = Limits.defaults
    const expected = [undefined, "ELEVEN-CHAR"].flatMap((name) =>
      Array.from({ length: 7 }, (_, index) => codeLength.min + index).flatMap((length) =>
        [expirySeconds.min, expirySeconds.max].map((expiry) => `${name} ${length} ${expiry}`),
      ),
    )
    assert.sameMembers([...combinations], expected)
  })

  it("accepts the longest codes that a host may set", () => {
    const codeLength = { min: Limits.bounds.codeLength.max, max: Limits.bounds.codeLength.max }
    assert.deepStrictEqual(
      rulesOf(({ code }) => (code.length === 15 ? `${code} is your code` : ""), { codeLength }),
      [],
    )
  })

  it("does not mistake a sender name for a hash", () => {
    const long: Template = ({ senderName, code }) =>
      `${code} is your code${"!".repeat(110)} from ${senderName}`
    assert.deepStrictEqual(rulesOf(long, { senderNames: ["MyShop4You2"] }), ["other-number"])
    assert.deepStrictEqual(rulesOf(long, { senderNames: ["MyShop"] }), [])
    const hashed: Template = (input) => `${long(input)} ${hash}`
    assert.deepStrictEqual(rulesOf(hashed, { senderNames: ["MyShop"] }), ["retriever-size"])
  })

  it("describes an invalid domain", () => {
    const [warning] = lint(({ code }) => `${code} is your code\n@https://example.com #${code}`)
    assert.strictEqual(
      warning?.message,
      "https://example.com is not a domain in lower case, without scheme, port or path",
    )
  })

  it("reports each problem once, with the longest text that has it", () => {
    const chatty: Template = ({ code, expirySeconds }) =>
      `Hello,\n${code} is yours for ${expirySeconds / 60} minutes at example.com’s ${"!".repeat(20)}`
    assert.deepStrictEqual(
      lint(chatty).map(({ message, rule }) => `${rule}: ${message}`),
      [
        "code-late: The code is not in the first line",
        "code-unnamed: None of the words code, কোড is in the line of the code",
        "other-number: A phone may take another number for the code: 60",
        "link: example.com looks like an address, which filters and wary people distrust",
        "segments: It costs 2 segments with 10 digits: it has 79 units, and one holds 70",
        "letters: For ’ alone the text takes 16 bits a letter, 70 to a segment",
      ],
    )
  })
})
