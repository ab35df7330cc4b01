import { overridesOf } from "@countersign/core/codec/LimitsCodec"
import { channels } from "@countersign/core/domain/Channel"
import * as Limit from "@countersign/core/domain/Limits"
import * as Organization from "@countersign/core/domain/Organization"
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
  const overrides = overridesOf(own)
  if (Result.isFailure(overrides)) return refuse(`limits: ${overrides.failure.message}`)
  const [problem] = Organization.limitProblems(overrides.success)
  if (problem !== undefined) return refuse(`limits: ${problem.message}`)
  // The host's limits are those that an organization without limits of its own would set.
  const settings = { ...Organization.defaultSettings, limits: overrides.success }
  return Organization.limitsOf({ settings }, { ...Limit.defaults, profile, codeChannels })
}
