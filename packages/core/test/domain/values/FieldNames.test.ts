import { assert, describe, it } from "vitest"
import { nearest, unknownField } from "../../../src/domain/values/FieldNames.ts"

const fields = ["phoneNumber", "text", "channel", "sender", "idempotencyKey", "organization"]

describe("the field that was meant", () => {
  it.each([
    ["phone_number", "phoneNumber"],
    ["PHONENUMBER", "phoneNumber"],
    ["phone", "phoneNumber"],
    ["number", "phoneNumber"],
    ["to", "phoneNumber"],
    ["msisdn", "phoneNumber"],
    ["message", "text"],
    ["body", "text"],
    ["txt", "text"],
    ["chanel", "channel"],
    ["from", "sender"],
    ["idempotency-key", "idempotencyKey"],
    ["organisation", "organization"],
    ["textMessage", "text"],
    ["id", undefined],
    ["x", undefined],
    ["", undefined],
    ["somethingElse", undefined],
    ["z".repeat(100_000), undefined],
  ])("by %j is %j", (name, meant) => {
    assert.strictEqual(nearest(name, fields), meant)
  })

  it.each(["expiry", "expirySeconds", "ttl", "expires_in"])("by %j is expiresIn", (name) => {
    assert.strictEqual(nearest(name, ["code", "expiresIn"]), "expiresIn")
  })
})

it("a field is unknown, with the one that was meant if there is one", () => {
  const { code, params } = unknownField("txt", fields)
  assert.deepStrictEqual<unknown>([code, params], ["unknown_field", { meant: "text" }])
  assert.deepStrictEqual<unknown>(unknownField("x", fields).params, { meant: null })
})

it("an organization that is given as a field is the handle", () => {
  for (const name of ["organization", "organizationId", "tenant"]) {
    assert.deepStrictEqual<unknown>(unknownField(name, fields, true).params, {
      meant: "organization(id)",
    })
  }
  assert.deepStrictEqual<unknown>(unknownField("organization", []).params, { meant: null })
})
