/** Refused calls as CSV (RFC 4180). Phone numbers are masked. */
import { textCell } from "../values/Csv.ts"
import type { Refusal } from "./Refusal.ts"

/** The first line. */
export const header =
  "sequence,at,operation,code,reason,channel,country,phoneNumber,requestId,apiKeyId,actor,parameters\r\n"

/** The lines of refused calls, without the first line. */
export const lines = (refusals: ReadonlyArray<Omit<Refusal, "organization" | "digest">>): string =>
  refusals
    .map((refusal) =>
      [
        refusal.sequence,
        new Date(refusal.at).toISOString(),
        refusal.operation,
        refusal.code,
        refusal.reason ?? "",
        refusal.channel ?? "",
        refusal.country,
        textCell(refusal.maskedNumber),
        refusal.requestId ?? "",
        refusal.apiKeyId ?? "",
        textCell(refusal.actor),
        textCell(JSON.stringify(refusal.parameters)),
      ].join(),
    )
    .map((line) => `${line}\r\n`)
    .join("")
