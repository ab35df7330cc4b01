import * as LimitsCodec from "@countersign/core/domain/limits/LimitsCodec"
import { channels } from "@countersign/core/domain/values/Channel"
import * as Limit from "@countersign/core/domain/limits/Limits"
import * as Result from "effect/Result"
import type { CountersignOptions } from "../types/options.ts"
import { refuse } from "./check.ts"

export const hostLimits = ({
  limits: own = {},
  verifications: { channels: codeChannels = channels, profile = "standard" } = {},
}: Pick<CountersignOptions, "limits" | "verifications">): Limit.Limits => {
  if (profile !== "standard" && profile !== "nist") {
    return refuse('verifications.profile must be "standard" or "nist"')
  }
  if (codeChannels.length === 0 || !codeChannels.every((one) => channels.includes(one))) {
    return refuse('verifications.channels must list "sms", "whatsapp" or both')
  }
  return Result.getOrElse(
    LimitsCodec.hostLimits(own, { ...Limit.defaults, profile, codeChannels }),
    ({ message }) => refuse(`limits: ${message}`),
  )
}
