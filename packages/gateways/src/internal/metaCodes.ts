/**
 * The error codes of WhatsApp's Cloud API. The code decides, not the HTTP status of the response.
 *
 * https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"
import { byCode } from "./httpVendor.ts"

export type Meaning =
  | { readonly _tag: "Refusal"; readonly reason: RejectionReason }
  | { readonly _tag: "Throttling"; readonly retryAfterMillis?: number }
  /** The documentation does not say whether the message was accepted. */
  | { readonly _tag: "Doubt" }

const refusal = (reason: RejectionReason): Meaning => ({ _tag: "Refusal", reason })

/** Meta allows one message in six seconds to the same recipient. */
export const pairWaitMillis = 6_000

const meanings = byCode<Meaning>([
  [refusal("account"), [0, 3, 10, 33, 190, 368, 131_031, 131_042]],
  [refusal("recipient"), [130_472, 131_021, 131_026, 131_030, 131_049]],
  [refusal("content"), [100, 131_008, 131_009, 131_047, 131_051]],
  [refusal("content"), [132_000, 132_001, 132_005, 132_007, 132_012, 132_015, 132_016]],
  [{ _tag: "Throttling" }, [4, 80_007, 130_429, 131_048, 133_016]],
  [{ _tag: "Throttling", retryAfterMillis: pairWaitMillis }, [131_056]],
  [{ _tag: "Doubt" }, [1, 2, 131_000, 131_016]],
])

/** Codes from 200 to 299 concern permissions. */
const isPermission = (code: number): boolean => code >= 200 && code <= 299

/** Returns the meaning of a code; `undefined` if the table does not contain it. */
export const meaningOf = (code: number): Meaning | undefined =>
  isPermission(code) ? refusal("account") : meanings.get(code)

/** Returns the rejection reason of a code; `undefined` if the code is not a rejection. */
export const reasonOf = (code: number): RejectionReason | undefined => {
  const meaning = meaningOf(code)
  return meaning?._tag === "Refusal" ? meaning.reason : undefined
}

/** Whether the code means that the phone number is not on WhatsApp. */
export const isUnreachable = (code: number): boolean => code === 131_026

/** Missing graph object: the phone number was removed, or the token may not access it. */
const missingObject = 33

/** Returns the meaning of an error response to a dispatch. */
export const refusalOf = (code: number, subcode: number | undefined, status: number): Meaning => {
  if (code === 100 && subcode === missingObject) return refusal("account")
  const known = meaningOf(code)
  if (known !== undefined) return known
  // An undocumented code does not prove a rejection.
  return { _tag: status === 429 ? "Throttling" : "Doubt" }
}
