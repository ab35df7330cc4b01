import * as Money from "@countersign/core/domain/values/Money"
import { perSegment, type Pricing } from "@countersign/core/decide/Pricing"
import * as Segments from "@countersign/core/text/Segments"
import * as Result from "effect/Result"
import { refuse } from "./check.ts"
import type { CountersignOptions } from "../types/options.ts"

const priceOf = (name: string, text: string | undefined): Money.Money => {
  if (text === undefined) return Money.zero
  const amount = Money.fromDecimal(text)
  if (Result.isFailure(amount)) return refuse(`${name} ${amount.failure.message}`)
  return amount.success < 0 ? refuse(`${name} must not be negative`) : amount.success
}

export const pricing = ({ prices = {} }: CountersignOptions): Pricing => {
  const { currency = "BDT", of, per = "message" } = prices
  if (of !== undefined) {
    if ((prices.sms ?? prices.whatsapp ?? prices.per) !== undefined) {
      return refuse("prices.of stands alone, without sms, whatsapp and per")
    }
    return {
      currency,
      // The result of the host's function is only known now. An invalid amount is a bug of the host.
      price: ({ channel, organization, text }) => {
        const segments = channel === "sms" ? Segments.count(text).segments : 1
        const amount = of({ channel, organization, segments })
        return priceOf("prices.of gave an amount that", amount)
      },
    }
  }
  const sms = priceOf("prices.sms", prices.sms)
  const whatsapp = priceOf("prices.whatsapp", prices.whatsapp)
  return per === "segment"
    ? perSegment({ currency, sms, whatsapp })
    : { currency, price: ({ channel }) => (channel === "sms" ? sms : whatsapp) }
}
