import * as Arbitraries from "@countersign/testing/Arbitraries"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Masking from "../../src/domain/Masking.ts"

const rows: ReadonlyArray<readonly [what: string, raw: string, kept: string]> = [
  ["nothing", "", ""],
  ["a status", "delivered", "delivered"],
  ["a number with its plus", "+8801712345678", "+8801*****678"],
  ["a number with 880", "8801712345678", "8801*****678"],
  ["a number with 00", "008801712345678", "0088*****678"],
  ["a number with 01", "01712345678", "017*****678"],
  ["a number in groups", "to +880 1712-345678.", "to +8801*****678."],
  ["a number in brackets", "(880) 1712 345 678", "(8801*****678"],
  ["a number in Bangla digits", "০১৭১২৩৪৫৬৭৮", "০১৭*****৬৭৮"],
  ["a short number", "1234567", "*****67"],
  [
    "a number in an address",
    "https://x.example/to/8801712345678",
    "https://x.example/to/8801*****678",
  ],
  ["codes of errors", "error 30008, 131026", "error 30008, 131026"],
  ["a code in hexadecimal", "NACK/0x0000000b/Invalid", "NACK/0x0000000b/Invalid"],
  ["what we call a message", "ref=acme.8.070059e966e2", "ref=acme.8.070059e966e2"],
  ["a number that looks like it", "8801712345678.8.070059e966e2", "8801*****059e966e2"],
  ["an id", "SMaf-1c3b", "SMaf-1c3b"],
  ["a UUID", "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab", "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab"],
  ["a time", "2026-11-21T17:57:37.123Z", "2026-11-21T17:57:37.123Z"],
  ["a time and a number", "2026-11-21 17:57:37 01712345678", "2026-11-21 17:57:37 017*****678"],
  [
    "a form",
    "To=%2B8801712345678&MessageStatus=delivered&ErrorCode=30008",
    "To=+8801*****678&MessageStatus=delivered&ErrorCode=30008",
  ],
  ["a form with a text", "Body=Your+code+is+482913&Status=2", "Body=Your code is ******&Status=2"],
  ["a form with a key", "api_key=a%26b%3Dc&status=1", "api_key=***&status=1"],
  ["a form with JSON in it", "payload=%7B%22token%22%3A%22abc%22%7D", 'payload={"token":"***"}'],
  ["a form that is badly encoded", "to=%zz%2B8801712345678", "to=%zz+8801*****678"],
  [
    "a query and a body",
    'hash=ab1&token=abc\n{"status":"ok","password":"x"}',
    'hash=ab1&token=***\n{"status":"ok","password":"***"}',
  ],
  [
    "JSON",
    '{"to":8801712345678,"error":{"code":131026},"text":"Code 1234","at":[1,null,true]}',
    '{"to":"8801*****678","error":{"code":131026},"text":"Code ****","at":[1,null,true]}',
  ],
  [
    "JSON with a time",
    '{"timestamp":"1763747857","sent_at":1763747857123}',
    '{"timestamp":"1763747857","sent_at":1763747857123}',
  ],
  [
    "JSON with a number for a time",
    '{"timestamp":"8801712345678"}',
    '{"timestamp":"8801*****678"}',
  ],
  ["JSON with a number for a name", '{"8801712345678":"sent"}', '{"8801*****678":"sent"}'],
  ["JSON in JSON", '{"data":"{\\"otp\\":\\"482913\\"}"}', '{"data":"{\\"otp\\":\\"***\\"}"}'],
  ["JSON that was cut", '{"a":1,"text":"Code \\u0031234', '{"a":1,"text":"Code ****'],
  [
    "a receipt",
    "id:7 submit date:2611211757 done date:2611211758 stat:DELIVRD err:000 text:Code 482913\n99",
    "id:7 submit date:2611211757 done date:2611211758 stat:DELIVRD err:000 text:Code ******\n**",
  ],
  [
    "XML",
    '<r to="01712345678"><status>0</status><password>x y</password><text>Code 1234</text></r>',
    '<r to="017*****678"><status>0</status><password>***</password><text>Code ****</text></r>',
  ],
  ["a header", "Authorization: Basic YWxhZGRpbg==\nStatus: 1", "Authorization: ***\nStatus: 1"],
  ["a scheme anywhere", "said Bearer abc.def", "said Bearer ***"],
  ["a signed token", "got eyJhbGciOi.eyJzdWIi.SflKxw ok", "got *** ok"],
  ["credentials in an address", "ftp://me:pw@x.example/", "ftp://***@x.example/"],
  ["what no terminal should print", "a\u0000\u001b[31mb", "a [31mb"],
  ["a number in UTF-16", "\u00008\u00008\u00000\u00001\u00007\u00001\u00002\u00003", "*****123"],
  ["a number with NULs in JSON", '{"to":"88\\u000001\\u00007123"}', '{"to":"*****123"}'],
  ["a number grouped by commas", "to 880,1712,345,678", "to 8801*****678"],
  ["a number grouped by _", "to=8801_712_345_678", "to=8801*****678"],
  [
    "XML in XML",
    "<r>&lt;text&gt;Code 1234&lt;/text&gt;&lt;password&gt;x y&lt;/password&gt;</r>",
    "<r><text>Code ****</text><password>***</password></r>",
  ],
  [
    "JSON in XML",
    "<r>{&quot;text&quot;:&quot;Code 1234&quot;,&quot;id&quot;:&quot;12&quot;}</r>",
    '<r>{"text":"Code ****","id":"12"}</r>',
  ],
  [
    "a text in XML with a coded end tag",
    "<text>a &lt;/text&gt; 1234</text>",
    "<text>a </text> ****</text>",
  ],
  ["a text in coded characters", "<text>Code &#49;&#x32;34</text>", "<text>Code ****</text>"],
  [
    "a text that is coded often",
    `<text>${"&amp;".padEnd(64, "amp;")}#49;</text>`,
    "<text>***</text>",
  ],
  [
    "elements in a text",
    "<message><part>Code 1234</part></message>",
    "<message><part>Code ****</part></message>",
  ],
  [
    "a credential in a text",
    "<message><token>ab</token> 12</message>",
    "<message><token>***</token> **</message>",
  ],
  [
    "a text in a text",
    "<text>1<text>2</text>3</text><id>4</id>",
    "<text>*<text>*</text>*</text><id>4</id>",
  ],
  [
    "CDATA with elements",
    "<text><![CDATA[1 <b>2</b> </text> 3]]></text><id>4</id>",
    "<text>* <b>*</b> </text> *</text><id>4</id>",
  ],
  ["XML in CDATA", "<r><![CDATA[<text>Code 12</text>]]></r>", "<r><text>Code **</text></r>"],
  [
    "XML in a comment",
    "<!-- <text>Code 12</text> --><id>4</id>",
    " <text>Code **</text> <id>4</id>",
  ],
  ["XML that was cut", "<id>1</id><text><b>Code</b> 1234", "<id>1</id><text><b>Code</b> ****"],
  [
    "the body of an envelope",
    "<s:Envelope><s:Body><status>4</status><text>12</text></s:Body></s:Envelope>",
    "<s:Envelope><s:Body><status>4</status><text>**</text></s:Body></s:Envelope>",
  ],
  [
    "JSON in JSON that was cut",
    '{"id":7,"data":"{\\"text\\":\\"a \\\\\\"1234\\\\\\" 56\\",\\"token\\":\\"x\\"}","to',
    '{"id":7,"data":"{"text":"a "****" **","token":***}","to',
  ],
  ["a text with quotes in JSON that was cut", '{"text":"a %22 \\"1234', '{"text":"a " "****'],
  [
    "a form with several texts",
    "text[0]=Code+12&message1=34&id=5",
    "text[0]=Code **&message1=**&id=5",
  ],
  ["a credential with a number", "token2=ab&pass[1]=cd", "token2=***&pass[1]=***"],
  [
    "a body in parts",
    'a=1\n--b\r\nContent-Disposition: form-data; name="token"\r\n\r\nab\r\n--b--',
    "a=1\n***",
  ],
  ["a body in parts with =", "------=_Part_1\r\nContent-Type: text/plain\r\n\r\n12", "***"],
  [
    "objects in a text",
    '{"text":{"value":"Code 1234","of":[5,{"12":6}],"token":"ab"},"id":7}',
    '{"text":{"value":"Code ****","of":["*",{"**":"*"}],"token":"***"},"id":7}',
  ],
  ["JSON in a text", '{"text":"{\\"token\\":\\"ab\\"}"}', '{"text":"{\\"token\\":\\"***\\"}"}'],
  ["a credential after a line separator", "token: a\u2028b\n1", "token: ***\n1"],
  ["what begins like a signed token", "eyJ-eyJ-a", "eyJ-eyJ-a"],
]

/** What may stand between the digits of a number. */
const separators = fc.constantFrom("", "-", " ", ".", "/", ") (", "\u00a0", "\u2011")

/** A number in a spelling that vendors use. */
const spelled = fc
  .tuple(
    Arbitraries.bangladeshiNumber,
    fc.constantFrom("+880", "%2B880", "00880", "880", "0"),
    fc.array(separators, { minLength: 9, maxLength: 9 }),
  )
  .map(([number, prefix, between]) => ({
    national: number.slice(4),
    text: prefix + Array.from(number.slice(4), (digit, at) => digit + (between[at] ?? "")).join(""),
  }))

const words = fc.constantFrom("to", "recipient", "status", "id", "x-number", "data[0]", "Answer")

const wrappings: ReadonlyArray<(key: string, text: string) => string> = [
  (_, text) => text,
  (key, text) => `${key}=${text.replaceAll(" ", "+")}&status=1`,
  (key, text) => `a=b&${key}=${encodeURIComponent(text)}`,
  (key, text) => JSON.stringify({ [key]: [text], status: "sent" }),
  (key, text) => JSON.stringify({ nested: JSON.stringify({ [key]: text }) }),
  (key, text) => JSON.stringify({ [text]: key }, null, 2),
  (key, text) => JSON.stringify({ [key]: text }).slice(0, -1),
  (key, text) => `id:7 ${key}:${text} stat:DELIVRD`,
  (key, text) => `<${key}>${text}</${key}>`,
  (key, text) => `sig=1\n${key}: ${text}\n`,
]

const wrapped = (key: fc.Arbitrary<string>, text: fc.Arbitrary<string>) =>
  fc.tuple(key, text, fc.constantFrom(...wrappings)).map(([k, t, wrap]) => wrap(k, t))

const coded = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** What a text may stand in, one in another. */
const layers: ReadonlyArray<(text: string) => string> = [
  (text) => JSON.stringify({ id: 1, data: text }),
  (text) => JSON.stringify({ data: [text] }).slice(0, -2),
  (text) => `<r><data>${coded(text)}</data></r>`,
  (text) => `<r data="${coded(text)}"/>`,
  (text) => `<r><![CDATA[${text}]]></r>`,
  (text) => `id=1&data=${encodeURIComponent(text)}`,
  (text) => Array.from(text, (one) => `\0${one}`).join(""),
]

/** Texts and credentials as they are named in what stands in other things. */
const named: ReadonlyArray<(text: string, key: string) => string> = [
  (text, key) => JSON.stringify({ text, [key]: secretOf }),
  (text, key) => JSON.stringify({ message: { part: [{ value: text }], [key]: secretOf } }),
  (text, key) => `<r><text>${coded(text)}</text><${key}>${secretOf}</${key}></r>`,
  (text, key) => `<message><part>${coded(text)}</part><${key}>${secretOf}</${key}></message>`,
  (text, key) => `<r><text><![CDATA[<b>1</b> ${text}]]></text><${key}>${secretOf}</${key}></r>`,
  (text, key) => `text[0]=${encodeURIComponent(text)}&${key}=${secretOf}`,
  (text, key) =>
    `--b\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${secretOf}${text}\r\n--b--`,
]

const secretOf = "ab-ZqZqZq.cd"

/** The digits that are left, as if nothing stood between them. */
const digitsIn = (text: string): string => text.replace(/[^\d*]/g, "")

const secretKeys = fc.constantFrom(
  "token",
  "access_token",
  "X-Api-Key",
  "apikey",
  "password",
  "PASSWD",
  "signature",
  "sig",
  "clientSecret",
  "Authorization",
  "otp",
  "user",
)

/** What keys and signatures are made of; nothing that a masked text has anyway. */
const secret = fc.stringMatching(/^[A-Za-z0-9+/=_~.]{0,20}Zq[A-Za-z0-9+/=_~.:-]{6,40}$/)

const bodyKeys = fc.constantFrom("text", "body", "Body", "message", "msg", "content", "sms_text")

describe("Masking.report", () => {
  it.each(rows)("keeps of %s what may be kept", (_, raw, kept) => {
    assert.strictEqual(Masking.report(raw), kept)
  })

  it("lets no number through, however it is spelled and whatever it stands in", () => {
    fc.assert(
      fc.property(
        spelled,
        words,
        fc.constantFrom(...wrappings),
        ({ national, text }, key, wrap) => {
          assert.notInclude(digitsIn(Masking.report(wrap(key, text))), national.slice(0, 7))
          assert.notInclude(digitsIn(Masking.words(decodeURIComponent(text))), national)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it("lets no credential through that is named as one", () => {
    fc.assert(
      fc.property(secret, secretKeys, fc.constantFrom(...wrappings.slice(2)), (text, key, wrap) => {
        // As a name it is none.
        fc.pre(wrap !== wrappings[5])
        assert.notInclude(Masking.report(wrap(key, text)), text)
        assert.notInclude(Masking.report(wrap(key, text)), text.slice(-6))
      }),
      { numRuns: 2_000 },
    )
  })

  it("lets no code through in what is named a text", () => {
    const code = fc.stringMatching(/^\d{4,15}$/)
    fc.assert(
      fc.property(code, bodyKeys, fc.constantFrom(...wrappings.slice(1)), (digits, key, wrap) => {
        fc.pre(wrap !== wrappings[5])
        const kept = Masking.report(wrap(key, `Your code is ${digits}. Tell nobody.`))
        assert.notInclude(kept, digits)
      }),
      { numRuns: 2_000 },
    )
  })

  it("lets no code and no credential through, whatever stands in what", () => {
    const code = fc.stringMatching(/^\d{4,8}$/)
    const around = fc.constantFrom("", "it's ", 'a "b" ', "1 < 2 & ", "<b>c</b> ", "line\n", "a=b ")
    const key = fc.constantFrom("token", "password", "api_key", "sig")
    const inside = fc.array(fc.constantFrom(...layers), { maxLength: 3 })
    fc.assert(
      fc.property(
        code,
        around,
        key,
        fc.constantFrom(...named),
        inside,
        (digits, said, of, name, all) => {
          const raw = all.reduce((text, layer) => layer(text), name(`${said}${digits}.`, of))
          const kept = Masking.report(raw)
          assert.notInclude(kept, digits)
          assert.notInclude(kept, "ZqZqZq")
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it("is never longer than a row may hold, and has no character that a row cannot hold", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 5_000 }),
      wrapped(words, fc.string()),
      fc.json(),
    )
    fc.assert(
      fc.property(text, (raw) => {
        const kept = Masking.report(raw)
        assert.isAtMost(kept.length, Masking.maxLength)
        assert.isTrue(kept.isWellFormed())
        assert.notMatch(kept, /[^\P{Cc}\n]/u)
      }),
    )
  })

  it("reads no more than it has to of what is endless", () => {
    for (const text of [
      "1 ",
      "a=",
      '{"a":',
      "<a ",
      "text:",
      '"',
      "\\u00",
      "%2",
      "eyJ.",
      "eyJ-",
      "eyJa.",
      "://a",
      "&amp;",
      "<text>",
      "<text>text:%25",
      "\\\\",
    ]) {
      const endless = text.repeat(1_000_000)
      assert.isAtMost(Masking.report(endless).length, Masking.maxLength)
    }
  })
})
