import * as LimitsCodec from "@countersign/core/domain/limits/LimitsCodec"
import { channels } from "@countersign/core/domain/values/Channel"
import * as Limit from "@countersign/core/domain/limits/Limits"
import * as Result from "effect/Result"
import type { CountersignOptions } from "../types/options.ts"
import { refuse } from "./check.ts"

export const hostLimits = ({
  codeChannels = channels,
  limits: own = {},
  profile = "standard",
}: Pick<CountersignOptions, "codeChannels" | "limits" | "profile">): Limit.Limits => {
  if (profile !== "standard" && profile !== "nist") {
    return refuse('profile must be "standard" or "nist"')
  }
  if (codeChannels.length === 0 || !codeChannels.every((one) => channels.includes(one))) {
    return refuse('codeChannels must list "sms", "whatsapp" or both')
  }
  return Result.getOrElse(
    LimitsCodec.hostLimits(own, { ...Limit.defaults, profile, codeChannels }),
    ({ message }) => refuse(`limits: ${message}`),
  )
}
