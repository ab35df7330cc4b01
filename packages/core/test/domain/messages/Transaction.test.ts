import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as Transaction from "../../../src/domain/messages/Transaction.ts"
import * as Money from "../../../src/domain/values/Money.ts"

const { entry, message } = Samples

const price = { kind: "hold", amount: Money.make("0.5"), messageSequence: 1 } as const

describe("a transaction", () => {
  it.each([
    ["that was topped up", entry(), undefined, "top-up 10.00 null"],
    [
      "that was adjusted",
      entry({ kind: "adjustment", amount: Money.make("-1") }),
      undefined,
      "adjustment -1.00 null",
    ],
    ["of an open message", entry(price), message({ hold: "open" }), "message -0.50 held"],
    ["of a charged message", entry(price), message({ hold: "captured" }), "message -0.50 charged"],
    ["of a refunded message", entry(price), message({ hold: "released" }), "message 0.00 refunded"],
    ["of a message without a price", entry(price), message({ hold: "none" }), "message -0.50 null"],
    ["of a message that is gone", entry(price), undefined, "message -0.50 null"],
  ] as const)("%s", (_, first, paid, expected) => {
    const { change, kind, state } = Transaction.of(first, paid)
    assert.strictEqual(`${kind} ${Money.format(change)} ${state}`, expected)
  })

  it("names its message, with a masked number", () => {
    const paid = message({ hold: "captured" })
    const found = Transaction.of(entry(price), paid)
    assert.strictEqual(found.messageId, `${paid.id}_${paid.sequence}`)
    assert.match(found.phoneNumber ?? "", /^\+8801\*{5}\d{3}$/)
    assert.isNull(Transaction.of(entry(price), undefined).phoneNumber)
  })

  it("begins with one kind of entry", () => {
    assert.deepStrictEqual(Transaction.entryKindsOf(), ["hold", "top-up", "adjustment"])
    assert.deepStrictEqual(Transaction.entryKindsOf(["message"]), ["hold"])
  })
})
