/** The price of a message. */
import * as Context from "effect/Context"
import type { Channel } from "../domain/values/Channel.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import * as Money from "../domain/values/Money.ts"
import * as Segments from "../text/Segments.ts"

/** The properties of a message that its price may depend on. */
export interface Item {
  readonly organization: OrganizationId
  readonly channel: Channel
  /** The text as it is sent. Other digits of the same number replace the code of a verification. */
  readonly text: string
}

export interface Pricing {
  /** ISO 4217 code of the currency of all accounts. */
  readonly currency: string
  /** Not negative. */
  readonly price: (item: Item) => Money.Money
}

const sms = Money.make("0.5")

/** 0.5 BDT for an SMS of any length; WhatsApp messages are free. */
export const standard: Pricing = {
  currency: "BDT",
  price: (item) => (item.channel === "sms" ? sms : Money.zero),
}

export interface SegmentPrices {
  /** Price of one segment of an SMS. */
  readonly sms: Money.Money
  /** Price of a message of any length. */
  readonly whatsapp: Money.Money
  /** ISO 4217. */
  readonly currency: string
}

/** Charges an SMS per segment, as most vendors bill it. Throws a `RangeError` for a negative price. */
export const perSegment = ({ currency, sms, whatsapp }: SegmentPrices): Pricing => {
  if (sms < 0 || whatsapp < 0) throw new RangeError("A price must not be negative")
  return {
    currency,
    price: ({ channel, text }) =>
      channel === "sms" ? Money.fromUnits(sms * Segments.count(text).segments) : whatsapp,
  }
}

export interface Preview {
  /** `undefined` on WhatsApp, which has no segments. */
  readonly segments: Segments.Count | undefined
  readonly price: Money.Money
  readonly currency: string
}

export const preview = (self: Pricing, item: Item): Preview => ({
  segments: item.channel === "sms" ? Segments.count(item.text) : undefined,
  price: self.price(item),
  currency: self.currency,
})

/** The prices in force. */
export const Pricing = Context.Reference<Pricing>("@countersign/core/decide/Pricing", {
  defaultValue: () => standard,
})
