/**
 * What a message costs.
 *
 * @module-kind pure
 */
import * as Context from "effect/Context"
import type { Channel } from "./Channel.ts"
import type { OrganizationId } from "./Ids.ts"
import * as Money from "./Money.ts"

/** What a price may depend on. */
export interface Item {
  readonly organization: OrganizationId
  readonly channel: Channel
  /** The text as it is logged: a verification's code is masked in it, at its usual length. */
  readonly text: string
}

export interface Pricing {
  /** ISO 4217 code of the currency that all accounts are kept in. */
  readonly currency: string
  /** Not negative. */
  readonly price: (item: Item) => Money.Money
}

const sms = Money.make("0.5")

/** 0.5 BDT for an SMS, WhatsApp for nothing. */
export const standard: Pricing = {
  currency: "BDT",
  price: (item) => (item.channel === "sms" ? sms : Money.zero),
}

/** The prices in force. */
export const Pricing = Context.Reference<Pricing>("@countersign/core/Pricing", {
  defaultValue: () => standard,
})
