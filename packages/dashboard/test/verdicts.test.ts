import { assert, describe, it } from "vitest"
import type { MessageStatus, TimelineStep } from "../app/api/types.ts"
import { english } from "../app/i18n/en/en.ts"
import { makeFormat } from "../app/i18n/format.ts"
import { ofMessage, ofVerification } from "../app/ui/verdicts.ts"

const words = { t: english, format: makeFormat("en") }

const at = "2026-11-22T18:00:00.000Z"

const message = (status: MessageStatus, error: string | null = null) => ({
  status,
  error,
  gateway: "acme-sms",
  requestId: "vrf_1",
  sequence: 2,
})

const accepted: TimelineStep = {
  kind: "accepted",
  at,
  messageSequence: 2,
  gateway: "acme-sms",
  gatewayId: "7",
}

const settled: TimelineStep = {
  kind: "settled",
  at,
  messageSequence: 2,
  gateway: "acme-sms",
  status: "unknown",
  reason: null,
  failureReason: "no_report",
  vendorCode: null,
}

const refunded = (messageSequence: number): TimelineStep => ({
  kind: "refunded",
  at,
  messageSequence,
  amount: "0.50",
})

describe("the verdict on a message", () => {
  it("says first that nothing arrived, then why, then what became of the price", () => {
    const timeline = [accepted, refunded(2)]
    assert.deepStrictEqual(ofMessage(message("undelivered", "absent"), timeline, words), [
      "The recipient got no code.",
      "The gateway acme-sms accepted the message but could not deliver it.",
      "Reason: absent",
      "The price was given back.",
    ])
  })

  it("does not blame a gateway that accepted the message for an unclear answer", () => {
    const [silent = ""] = ofMessage(message("unknown"), [settled], words)
    assert.include(silent, "acme-sms gave no clear answer, and no report came")
    const [late = ""] = ofMessage(message("unknown"), [accepted, settled], words)
    assert.include(late, "acme-sms accepted the message, and no report came")
  })

  it("does not end a message whose report may still come", () => {
    assert.deepStrictEqual(ofMessage(message("unknown"), [], words), [
      english.verdict.unclear.replace("{gateway}", "acme-sms"),
    ])
    assert.include(english.verdict.unclear, "The price is held")
  })

  it("does not give back the price of another message of the request", () => {
    assert.notInclude(
      ofMessage(message("undelivered"), [refunded(1)], words),
      "The price was given back.",
    )
  })
})

describe("the verdict on a verification", () => {
  const waits = `The request waits for the code until ${words.format.time(at)}.`
  const request = (status: "pending" | "verified" | "failed" | "expired") => ({
    status,
    consumedAt: null,
    expiresAt: at,
  })

  it("tells first what happened to the message while the code is awaited", () => {
    const sentences = ofVerification(request("pending"), message("rejected"), [], words)
    assert.deepStrictEqual(sentences, [
      "The recipient got no code.",
      "The gateway acme-sms refused the message.",
      waits,
    ])
    assert.deepStrictEqual(ofVerification(request("pending"), message("delivered"), [], words), [
      "The message was delivered. Its price was charged.",
      waits,
    ])
  })

  it("tells first why the request has ended", () => {
    const failed: TimelineStep = { kind: "failed", at, reason: "attempts", code: null }
    assert.deepStrictEqual(
      ofVerification(request("failed"), message("delivered"), [failed], words),
      ["Wrong codes were entered too often.", "The message was delivered. Its price was charged."],
    )
  })

  it("says no more than that the number was verified", () => {
    assert.deepStrictEqual(ofVerification(request("verified"), message("unknown"), [], words), [
      "The number was verified.",
    ])
    const consumed = { ...request("verified"), consumedAt: at }
    assert.deepStrictEqual(ofVerification(consumed, undefined, [], words), [
      "The number was verified, and the verification was used.",
    ])
  })
})
