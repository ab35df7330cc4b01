import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { FieldProblem } from "../../../src/domain/values/FieldProblem.ts"
import * as Sender from "../../../src/domain/messages/Sender.ts"
import type { Channel } from "../../../src/domain/values/Channel.ts"
import { SenderId } from "../../../src/domain/values/Ids.ts"

const senderOf = (
  id: string,
  kind: Sender.Kind,
  value: string,
  status: Sender.Status = "approved",
  isDefault = false,
): Sender.Sender => ({
  id: SenderId(id),
  kind,
  sender: value,
  status,
  isDefault,
  class: null,
  reason: null,
})

const senders: ReadonlyArray<Sender.Sender> = [
  senderOf("b-line", "non-masking", "8809600000000", "approved", true),
  senderOf("b-other", "non-masking", "+8809611111111"),
  senderOf("b-new", "non-masking", "8809622222222", "pending"),
  senderOf("b-mask", "masking", "ACME"),
  senderOf("b-no", "masking", "BANK", "rejected"),
  senderOf("b-wa", "whatsapp", "profile-1", "approved", true),
  senderOf("b-wa2", "whatsapp", "profile-2", "pending"),
  // Withdrawn, before those that were registered again.
  senderOf("b-gone-masking", "masking", "ACME", "withdrawn"),
  senderOf("b-gone-non-masking", "non-masking", "8809611111111", "withdrawn"),
  senderOf("b-gone-whatsapp", "whatsapp", "profile-1", "withdrawn"),
  senderOf("b-gone", "masking", "GONE", "withdrawn"),
  // Names that could be taken for another brand's.
  senderOf("b-odd", "masking", "b-other"),
  senderOf("b-twice", "masking", "8809600000000"),
  senderOf("b-shy", "masking", "8809611111111", "pending"),
  senderOf("b-bangla", "masking", "৮৮০৯৬৩৩৩৩৩৩৩৩"),
  senderOf("b-wa-mask", "masking", "profile-1"),
]

const table: ReadonlyArray<
  readonly [Channel, name: string | undefined, ends: string, why: string]
> = [
  ["sms", undefined, "b-line, 8809600000000, non-mask", "the default of the channel"],
  ["whatsapp", undefined, "b-wa, profile-1, whatsapp", "the default of the channel"],
  ["sms", "b-other", "b-other, +8809611111111, non-mask", "an id comes before a masking name"],
  ["sms", "b-mask", "b-mask, ACME, mask", "an id"],
  ["sms", "ACME", "b-mask, ACME, mask", "an approved masking name"],
  ["sms", "acme", "brand not found", "names are case-sensitive"],
  ["sms", "8809600000000", "b-twice, 8809600000000, mask", "a masking name comes before a number"],
  ["sms", "8809611111111", "b-other, +8809611111111, non-mask", "a number before a pending name"],
  ["sms", "+8809611111111", "b-other, +8809611111111, non-mask", "a number with its plus"],
  ["sms", "+8809600000000", "b-line, 8809600000000, non-mask", "one registered without it"],
  ["sms", "৮৮০৯৬১১১১১১১১", "b-other, +8809611111111, non-mask", "a number in Bangla digits"],
  ["sms", "+৮৮০৯৬১১১১১১১১", "b-other, +8809611111111, non-mask", "the same with its plus"],
  ["sms", "৮৮০৯৬৩৩৩৩৩৩৩৩", "b-bangla, ৮৮০৯৬৩৩৩৩৩৩৩৩, mask", "a masking name is no number"],
  ["sms", "8809633333333", "brand not found", "nor does a number stand for a masking name"],
  ["whatsapp", "profile-১", "brand not found", "a profile is no number"],
  ["sms", "8809622222222", "brand is not approved", "a number that is not approved"],
  ["sms", "b-new", "brand is not approved", "an id that is not approved"],
  ["sms", "BANK", "brand is not approved", "a masking name that is not approved"],
  ["sms", "b-gone", "brand is not approved", "an id that is withdrawn"],
  ["sms", "GONE", "brand not found", "a name that is withdrawn"],
  ["sms", "b-gone-non-masking", "brand is not approved", "a withdrawn number, by its id"],
  ["sms", "b-wa", "brand cannot send over sms", "a profile's id"],
  ["sms", "profile-2", "brand not found", "a profile's name does not match for SMS"],
  ["whatsapp", "b-wa", "b-wa, profile-1, whatsapp", "an id"],
  ["whatsapp", "profile-1", "b-wa, profile-1, whatsapp", "not the masking name like it"],
  ["whatsapp", "profile-2", "brand is not approved", "a profile that is not approved"],
  ["whatsapp", "b-mask", "brand cannot send over whatsapp", "a masking brand's id"],
  ["whatsapp", "ACME", "brand not found", "a masking name does not match for WhatsApp"],
  ["whatsapp", "8809600000000", "brand not found", "a number does not match for WhatsApp"],
  ["sms", "", "brand not found", "an empty name is a name"],
]

const outcomeOf = Result.match({
  onFailure: ({ message }: FieldProblem) => message,
  onSuccess: ({ id, logChannel, value }: Sender.ResolvedSender) => `${id}, ${value}, ${logChannel}`,
})

describe("Sender.resolve", () => {
  it.each(table)("%s by %j: %s (%s)", (channel, name, ends) => {
    assert.strictEqual(outcomeOf(Sender.resolve(senders, channel, name, "transactional")), ends)
  })

  it("gives the same result for every order of the brands", () => {
    const reversed = senders.toReversed()
    for (const [channel, name, ends] of table) {
      assert.strictEqual(outcomeOf(Sender.resolve(reversed, channel, name, "transactional")), ends)
    }
  })

  it.each([
    ["sms", "no default sender for sms"],
    ["whatsapp", "no default sender for whatsapp"],
  ] as const)("fails if %s has no default", (channel, ends) => {
    const others = senders.map((sender) => ({ ...sender, isDefault: false }))
    assert.strictEqual(outcomeOf(Sender.resolve(others, channel, undefined, "transactional")), ends)
  })

  it.each([
    ["sms", "b-line"],
    ["whatsapp", "b-wa"],
  ] as const)("refuses to send over %s by a default that is not approved", (channel, id) => {
    const revoked = senders.map((sender) =>
      sender.id === id ? { ...sender, status: "rejected" as const } : sender,
    )
    assert.strictEqual(
      outcomeOf(Sender.resolve(revoked, channel, undefined, "transactional")),
      "brand is not approved",
    )
  })
})

describe("a sender of one class", () => {
  const ofClass = (id: string, messageClass: Sender.Sender["class"], isDefault = false) => ({
    ...senderOf(id, "non-masking", "8809600000000", "approved", isDefault),
    class: messageClass,
  })

  it.each([
    [null, "transactional", "only, 8809600000000, non-mask"],
    [null, "promotional", "only, 8809600000000, non-mask"],
    ["transactional", "transactional", "only, 8809600000000, non-mask"],
    ["transactional", "promotional", "brand cannot send promotional messages"],
    ["promotional", "transactional", "brand cannot send transactional messages"],
    ["promotional", "promotional", "only, 8809600000000, non-mask"],
  ] as const)("%s sends %s messages: %s", (own, messageClass, ends) => {
    const only = [ofClass("only", own, true)]
    for (const name of [undefined, "only", "8809600000000"]) {
      assert.strictEqual(outcomeOf(Sender.resolve(only, "sms", name, messageClass)), ends)
    }
  })

  it("may share its name with one of the other class", () => {
    const both = [ofClass("t", "transactional"), ofClass("p", "promotional")]
    for (const [messageClass, id] of [
      ["transactional", "t"],
      ["promotional", "p"],
    ] as const) {
      for (const all of [both, both.toReversed()]) {
        const found = Sender.resolve(all, "sms", "8809600000000", messageClass)
        assert.strictEqual(outcomeOf(found), `${id}, 8809600000000, non-mask`)
      }
    }
  })

  it("sends no code if it is promotional", () => {
    const senders = [ofClass("p", "promotional"), ofClass("any", null, true)]
    assert.strictEqual(Sender.resolveOrDefault(senders, "sms", "p")?.id, "any")
    assert.isUndefined(Sender.resolveOrDefault(senders.slice(0, 1), "sms", "p"))
  })
})
