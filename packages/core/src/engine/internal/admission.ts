import type { Channel } from "../../domain/values/Channel.ts"
import type { RequestId } from "../../domain/values/Ids.ts"
import type * as PhoneNumber from "../../domain/values/PhoneNumber.ts"

/** How far a request is admitted, kept over repeats with newer settings, so that it is counted only once. */
export interface Admission {
  /** What a refusal of the request is recorded with, as far as it is known. */
  phoneNumber?: PhoneNumber.PhoneNumber
  channel?: Channel
  requestId?: RequestId
  isCounted: boolean
  /** Whether the gateway has reported that the number is not on WhatsApp. */
  isUnreachable: boolean
}

export const newAdmission = (): Admission => ({ isCounted: false, isUnreachable: false })
