/**
 * What a message costs.
 */
import * as Context from "effect/Context"
import type { Channel } from "../domain/Channel.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import * as Money from "../domain/Money.ts"
import * as Segments from "../text/Segments.ts"

/** What a price may depend on. */
export interface Item {
  readonly organization: OrganizationId
  readonly channel: Channel
  /** As it is sent, so that it can be counted; other digits stand in for a verification's code, as many. */
  readonly text: string
}

export interface Pricing {
  /** ISO 4217 code of the currency that all accounts are kept in. */
  readonly currency: string
  /** Not negative. */
  readonly price: (item: Item) => Money.Money
}

const sms = Money.make("0.5")

/** 0.5 BDT for an SMS of any length, WhatsApp for nothing. */
export const standard: Pricing = {
  currency: "BDT",
  price: (item) => (item.channel === "sms" ? sms : Money.zero),
}

export interface SegmentPrices {
  /** For each segment of an SMS. */
  readonly sms: Money.Money
  /** For a message, however long. */
  readonly whatsapp: Money.Money
  /** ISO 4217. */
  readonly currency: string
}

/** An SMS for what its segments cost, as most vendors bill it. Throws a `RangeError` for a negative price. */
export const perSegment = ({ currency, sms, whatsapp }: SegmentPrices): Pricing => {
  if (sms < 0 || whatsapp < 0) throw new RangeError("A price must not be negative")
  return {
    currency,
    price: ({ channel, text }) =>
      channel === "sms" ? Money.fromUnits(sms * Segments.count(text).segments) : whatsapp,
  }
}

/** What a text takes and costs. */
export interface Preview {
  /** `undefined` on WhatsApp, which knows no segments. */
  readonly segments: Segments.Count | undefined
  readonly price: Money.Money
  /** ISO 4217. */
  readonly currency: string
}

/** What sending a text would cost, before anything is sent. */
export const preview = (self: Pricing, item: Item): Preview => ({
  segments: item.channel === "sms" ? Segments.count(item.text) : undefined,
  price: self.price(item),
  currency: self.currency,
})

/** The prices in force. */
export const Pricing = Context.Reference<Pricing>("@countersign/core/decide/Pricing", {
  defaultValue: () => standard,
})
