import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as Cipher from "../../../src/internal/numbers/cipher.ts"
import { numberKey } from "../../fixtures/numberKey.ts"

const [one, two] = [numberKey("1"), numberKey("2")]
const cipher = Cipher.make([one], false)
const phoneNumber = FastCheck.tuple(
  FastCheck.integer({ min: 1, max: 9 }),
  FastCheck.stringMatching(/^\d{6,14}$/),
).map(([first, rest]) => PhoneNumber.fromE164(`+${first}${rest}`))
const organization = FastCheck.string({ minLength: 1, maxLength: 12 })

const opened = (self: Cipher.NumberCipher, stored: string, owner = "acme") =>
  self.open([{ organization: owner, phone_number: stored }])[0]

describe("the cipher of phone numbers", () => {
  it("law: a number is read as it was written, by any node with the key", () => {
    FastCheck.assert(
      FastCheck.property(phoneNumber, organization, (number, owner) => {
        const form = cipher.seal(number, owner, "number")
        // The form of every number has the same length.
        assert.match(form, /^\$1\$[\w-]{43}$/)
        assert.strictEqual(Cipher.make([one], false).seal(number, owner, "number"), form)
        const other = Cipher.make([two, one], false)
        assert.deepInclude(opened(other, form, owner), { phone_number: number })
        assert.deepStrictEqual(cipher.forms.number(number, owner), [form])
        assert.deepStrictEqual(other.forms.number(number, owner), [
          other.seal(number, owner, "number"),
          form,
        ])
      }),
    )
  })

  it("law: other numbers, organizations and keys have other forms", () => {
    FastCheck.assert(
      FastCheck.property(phoneNumber, phoneNumber, organization, organization, (a, b, x, y) => {
        const forms = [
          cipher.seal(a, x, "number"),
          cipher.seal(b, x, "number"),
          cipher.seal(a, y, "number"),
          cipher.seal(b, y, "number"),
        ]
        const pairs = new Set([`${a} ${x}`, `${b} ${x}`, `${a} ${y}`, `${b} ${y}`])
        assert.strictEqual(new Set(forms).size, pairs.size)
        const other = Cipher.make([{ ...two, id: "1" }], false)
        assert.notInclude(forms, other.seal(a, x, "number"))
      }),
    )
  })

  it("a changed byte, another organization and another secret are refused, and name no number", () => {
    const number = "+8801712345678"
    const form = cipher.seal(number, "acme", "number")
    const body = Buffer.from(form.slice(3), "base64url")
    for (const [index, byte] of body.entries()) {
      const changed = Uint8Array.from(body)
      changed[index] = byte ^ 1
      const stored = `$1$${Buffer.from(changed).toString("base64url")}`
      assert.throws(() => opened(cipher, stored), 'its key "1" has another secret')
    }
    for (const stored of ["$1$", form.slice(0, -4), `${form}AAAA`]) {
      assert.throws(() => opened(cipher, stored), 'its key "1" has another secret')
    }
    assert.throws(() => opened(Cipher.make([one], false), form, "other"), "another secret")
    const other = Cipher.make([{ ...two, id: "1" }], false)
    assert.throws(() => opened(other, form), "another secret")
    assert.throws(() => opened(Cipher.make([two], false), form), 'has the id "1" of a row')
  })

  it("a value that is no number is stored as it is, unless it looks like an encrypted one", () => {
    for (const value of ["", "erased:6b1f", "+8801*****678", "8801712345678"]) {
      assert.strictEqual(cipher.seal(value, "acme", "number"), value)
      assert.deepStrictEqual(cipher.forms.number(value, "acme"), [value])
      assert.deepStrictEqual(opened(cipher, value), { organization: "acme", phone_number: value })
      assert.isUndefined(cipher.renew(value, "acme", "number"))
    }
    assert.throws(() => cipher.seal("$1$abc", "acme", "number"), TypeError)
  })

  it("a form that is not the current one is renewed", () => {
    const number = "+8801712345678"
    const both = Cipher.make([two, one], true)
    const [current = "", retiring = "", plain = ""] = both.forms.number(number, "acme")
    assert.strictEqual(plain, number)
    for (const stored of [retiring, plain]) {
      assert.strictEqual(both.renew(stored, "acme", "number"), current)
      assert.deepInclude(opened(both, stored), { phone_number: number, stale_phone_number: stored })
    }
    assert.isUndefined(both.renew(current, "acme", "number"))
    assert.notProperty(opened(both, current), "stale_phone_number")
  })

  const id = "wamid.HBgNODgwMTcxMjM0NTY3OBUCABEYEjk="

  it.each(["", "gw-1", id, "ক".repeat(200), "$1$abc", "+8801712345678"])(
    "the text %j has one form for all organizations, and none of a number",
    (text) => {
      const form = cipher.seal(text, "acme", "text")
      assert.strictEqual(cipher.seal(text, "other", "text"), form)
      assert.deepStrictEqual(cipher.forms.text(text), [form])
      for (const column of ["gateway_id", "evidence", "answer"]) {
        const [row] = cipher.open([{ [column]: form }])
        assert.deepStrictEqual(row, {
          [column]: column === "answer" && text === "$1$abc" ? null : text,
        })
      }
      assert.notStrictEqual(cipher.seal("+8801712345678", "acme", "number"), form)
    },
  )

  it("a text is found and renewed under a retiring key, and cannot be changed", () => {
    const both = Cipher.make([two, one], true)
    const [current = "", retiring = "", plain = ""] = both.forms.text(id)
    assert.strictEqual(retiring, cipher.seal(id, "", "text"))
    assert.strictEqual(plain, id)
    for (const stored of [retiring, plain]) {
      assert.strictEqual(both.renew(stored, "", "text"), current)
      assert.deepStrictEqual(both.open([{ gateway_id: stored }]), [{ gateway_id: id }])
    }
    assert.isUndefined(both.renew(current, "", "text"))
    const changed = `${retiring.slice(0, -2)}AA`
    assert.throws(() => cipher.open([{ gateway_id: changed }]), "another secret")
    assert.throws(() => cipher.open([{ evidence: "$1$AA" }]), "another secret")
  })

  it("an answer under a key that is gone is not known any more", () => {
    const form = cipher.seal('{"_tag":"CodeSent"}', "acme", "text")
    assert.deepStrictEqual(Cipher.make([two], false).open([{ answer: form }]), [{ answer: null }])
    assert.deepStrictEqual(cipher.open([{ answer: null }, {}]), [{ answer: null }, {}])
  })
})
