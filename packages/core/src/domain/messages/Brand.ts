/**
 * Senders of messages, as recipients see them.
 */
import * as Result from "effect/Result"
import type { Channel, LogChannel } from "../values/Channel.ts"
import * as FieldProblem from "../values/FieldProblem.ts"
import type { BrandId } from "../values/Ids.ts"
import { normalizeDigits } from "../values/PhoneNumber.ts"

/** `masking`: a name instead of a number. `non-masking`: a number. `whatsapp`: a business profile. */
export type Kind = "masking" | "non-masking" | "whatsapp"

/** Only `approved` senders send. `withdrawn`: no longer used, and kept because the log refers to it. */
export type Status = "pending" | "approved" | "rejected" | "withdrawn"

/** A sender of one organization. */
export interface Brand {
  readonly id: BrandId
  readonly kind: Kind
  /** The masking name, the sender number, or the profile id. */
  readonly sender: string
  readonly status: Status
  /** Used for requests without a sender. One default each among non-masking senders and profiles. */
  readonly isDefault: boolean
}

/** The sender that a request resolves to. */
export interface Sender {
  readonly brand: BrandId
  readonly sender: string
  readonly logChannel: LogChannel
}

const logChannels: Record<Kind, LogChannel> = {
  masking: "mask",
  "non-masking": "non-mask",
  whatsapp: "whatsapp",
}

const digitsOf = (text: string): string => normalizeDigits(text.replace(/^\+/, ""))

const named = (brands: ReadonlyArray<Brand>, channel: Channel, name: string): Brand | undefined => {
  const byId = brands.find((brand) => brand.id === name)
  if (byId !== undefined) return byId
  // A withdrawn sender may have been registered again, with another id.
  const inUse = brands.filter(({ status }) => status !== "withdrawn")
  if (channel === "whatsapp") {
    return inUse.find((brand) => brand.kind === "whatsapp" && brand.sender === name)
  }
  const masking = inUse.filter((brand) => brand.kind === "masking" && brand.sender === name)
  return (
    masking.find((brand) => brand.status === "approved") ??
    inUse.find(
      (brand) => brand.kind === "non-masking" && digitsOf(brand.sender) === digitsOf(name),
    ) ??
    masking[0]
  )
}

/**
 * Finds the sender by brand id, then by the name of an approved masking brand, then by a registered number in
 * ASCII or Bangla digits; on WhatsApp by brand id or profile id. Without a name, finds the channel's default. A
 * withdrawn sender is found by its id only, and is refused.
 */
export const resolve = (
  brands: ReadonlyArray<Brand>,
  channel: Channel,
  name: string | undefined,
): Result.Result<Sender, FieldProblem.FieldProblem> => {
  const kind = channel === "whatsapp" ? "whatsapp" : "non-masking"
  const found =
    name === undefined
      ? brands.find((brand) => brand.isDefault && brand.kind === kind)
      : named(brands, channel, name)
  if (found === undefined) {
    return Result.fail(
      name === undefined
        ? FieldProblem.make("no_default_brand", { channel })
        : FieldProblem.make("brand_not_found", {}),
    )
  }
  if ((found.kind === "whatsapp") !== (channel === "whatsapp")) {
    return Result.fail(FieldProblem.make("brand_wrong_channel", { channel }))
  }
  if (found.status !== "approved") {
    return Result.fail(FieldProblem.make("brand_not_approved", {}))
  }
  return Result.succeed({
    brand: found.id,
    sender: found.sender,
    logChannel: logChannels[found.kind],
  })
}

/** The requested sender, or the channel's default: a sender for one channel often cannot send on the other. */
export const resolveOrDefault = (
  brands: ReadonlyArray<Brand>,
  channel: Channel,
  name: string | undefined,
): Sender | undefined =>
  Result.getOrUndefined(
    Result.orElse(resolve(brands, channel, name), () => resolve(brands, channel, undefined)),
  )
