import { assert, describe, it } from "vitest"
import { nearest } from "../../../src/domain/values/FieldNames.ts"

const fields = ["phoneNumber", "text", "channel", "brand", "idempotencyKey", "organization"]

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
    ["from", "brand"],
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
