import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { assert, describe, it } from "@effect/vitest"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as fc from "fast-check"
import { canonicalId, type Receipt, receiptOf, tags } from "../../../src/internal/smpp/receipt.ts"
import * as Evidence from "@countersign/core/domain/messages/Evidence"
import { maxEarly, ReceiptCorrelator } from "../../../src/internal/smpp/receiptCorrelator.ts"
import { shortMessage } from "../../support/pdus.ts"

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"))

describe("a receipt", () => {
  it("is found or not found in any message, without an error", () => {
    fc.assert(
      fc.property(shortMessage, fc.constantFrom(0, 0x04, 0x20), (message, esmClass) => {
        const receipt = receiptOf({ ...message, esmClass })
        if (receipt !== undefined) assert.notStrictEqual(receipt.id, "")
      }),
    )
  })

  it("does not quote the text of its message", () => {
    fc.assert(
      fc.property(shortMessage, fc.string(), (message, quoted) => {
        const text = (words: string) =>
          receiptOf({
            ...message,
            esmClass: 0x04,
            tlvs: [],
            message: bytes(`id:7 stat:UNDELIV err:011 Text:${words}`),
          })
        assert.deepStrictEqual(text(quoted), text(""))
      }),
    )
  })

  it.each([
    [
      "its text without the quotation",
      "id:7 sub:001 stat:UNDELIV err:011 Text:Your code is 482913",
      [],
      { id: "7", sub: "001", stat: "UNDELIV", err: "011" },
    ],
    [
      "its times in a form that no phone number has",
      "id:7 submit date:2611211757 done date:20261121175812 stat:DELIVRD",
      [],
      {
        id: "7",
        "submit date": "2026-11-21T17:57",
        "done date": "2026-11-21T17:58:12",
        stat: "DELIVRD",
      },
    ],
    [
      "the fields beside the text",
      "",
      [
        { tag: tags.receiptedMessageId, value: bytes("7") },
        { tag: tags.messageState, value: Uint8Array.of(2) },
        { tag: tags.networkErrorCode, value: Uint8Array.of(3, 0, 11) },
      ],
      { receiptedMessageId: "7", networkErrorCode: "11", messageState: "2" },
    ],
  ])("has the evidence %s", (_, text, tlvs, kept) => {
    for (const message of fc.sample(shortMessage, 5)) {
      const receipt = receiptOf({ ...message, esmClass: 0x04, message: bytes(text), tlvs })
      assert.strictEqual(Evidence.text(receipt?.evidence), JSON.stringify(kept))
    }
  })

  it("is recognized by its text if the reported number belongs to the centre", () => {
    for (const message of fc.sample(shortMessage, 5)) {
      const tlvs = [{ tag: tags.messageState, value: Uint8Array.of(99) }]
      const text = bytes("id:7 stat:DELIVRD err:000")
      const receipt = receiptOf({ ...message, esmClass: 0x04, message: text, tlvs })
      assert.strictEqual(receipt?.status, "delivered")
    }
  })

  it("names the same number in any spelling", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), fc.nat({ max: 5 }), (id, zeros) => {
        const hexadecimal = canonicalId(
          `${"0".repeat(zeros)}${id.toString(16).toUpperCase()}`,
          "hexadecimal",
        )
        assert.strictEqual(hexadecimal, canonicalId(id.toString(), "decimal"))
      }),
    )
  })

  it.each([
    ["what is no number", "12-34", "decimal"],
    ["a number that is longer than any id", "1".repeat(65), "decimal"],
    ["a text", "007", "text"],
  ] as const)("keeps %s unchanged", (_, id, radix) => {
    assert.strictEqual(canonicalId(id, radix), id)
  })
})

const ref = { organization: OrganizationId("acme"), sequence: 1 }

const receiptFor = (part: number, status: Receipt["status"]): Receipt => ({
  id: String(part),
  status,
  detail: status,
  evidence: { id: part },
})

describe("the receipts of a message", () => {
  it("give at most one outcome, and delivered only if all parts are", () => {
    const status = fc.constantFrom("accepted", "delivered", "undelivered", "rejected")
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }),
        fc.array(fc.tuple(fc.nat({ max: 4 }), status), { maxLength: 30 }),
        fc.boolean(),
        fc.nat({ max: 30 }),
        fc.boolean(),
        (parts, said, isBroken, at, isFirstAlone) => {
          const awaited = isFirstAlone ? 1 : parts
          const delivered = new Set<string>()
          let hasEnded = false
          let finals = 0
          const correlator = new ReceiptCorrelator("smpp", 100, (report) => {
            assert.deepStrictEqual(report.of, { _tag: "Message", ...ref })
            if (report.status !== "accepted") finals += 1
            if (report.status !== "delivered") return
            assert.isFalse(isBroken && hasEnded)
            assert.strictEqual(delivered.size, awaited)
            if (isFirstAlone) assert.isTrue(hasEnded)
          })
          const inFlight = correlator.begin(ref, awaited, parts)
          for (let part = 0; part < awaited; part++) correlator.taken(String(part), inFlight)
          const end = (): void => {
            hasEnded = true
            if (isBroken) inFlight.break("why")
            else inFlight.complete()
          }
          for (const [place, [part, status]] of said.entries()) {
            if (place === at) end()
            const receipt = receiptFor(part % awaited, status)
            if (status === "delivered") delivered.add(receipt.id)
            correlator.receipt(receipt, 0, true)
          }
          if (!hasEnded) end()
          // A part that is asked alone may be heard more than once, as a message of one part is.
          if (!isFirstAlone) assert.isAtMost(finals, 1)
          if (delivered.size === awaited) assert.isAtLeast(finals, 1)
        },
      ),
    )
  })

  it("wait for the answer in bounded number, and are released in order", () => {
    const reports: Array<DeliveryReport> = []
    const correlator = new ReceiptCorrelator("smpp", 10, (report) => reports.push(report))
    for (let part = 0; part < maxEarly + 2; part++) {
      correlator.receipt(receiptFor(part, "delivered"), part, true)
    }
    assert.deepStrictEqual(
      reports.splice(0).map(({ of }) => of),
      [0, 1].map((part) => ({
        _tag: "GatewayId" as const,
        gateway: "smpp",
        gatewayId: String(part),
      })),
    )
    correlator.taken("5", correlator.begin(ref, 1, 1))
    assert.deepStrictEqual(reports.splice(0), [
      {
        of: { _tag: "Message", ...ref },
        status: "delivered",
        detail: "delivered",
        evidence: { id: 5 },
      },
    ])
    correlator.sweep(12)
    assert.lengthOf(reports.splice(0), 9)
    correlator.sweep(Number.POSITIVE_INFINITY)
    assert.lengthOf(reports, maxEarly - 10)
  })
})
