/** Meanings of the command status of an answer. */
import type { RefusalClass } from "../../VendorOptions.ts"

/** The statuses of SMPP 3.4 with a definite meaning. */
const known: ReadonlyMap<number, readonly [name: string, verdict: RefusalClass]> = new Map([
  [0x01, ["ESME_RINVMSGLEN", "content"]],
  [0x02, ["ESME_RINVCMDLEN", "account"]],
  [0x03, ["ESME_RINVCMDID", "account"]],
  [0x04, ["ESME_RINVBNDSTS", "account"]],
  [0x05, ["ESME_RALYBND", "unknown"]],
  [0x06, ["ESME_RINVPRTFLG", "account"]],
  [0x07, ["ESME_RINVREGDLVFLG", "account"]],
  // The specification does not say how far the request was processed.
  [0x08, ["ESME_RSYSERR", "unknown"]],
  [0x0a, ["ESME_RINVSRCADR", "sender"]],
  [0x0b, ["ESME_RINVDSTADR", "recipient"]],
  [0x0d, ["ESME_RBINDFAIL", "account"]],
  [0x0e, ["ESME_RINVPASWD", "account"]],
  [0x0f, ["ESME_RINVSYSID", "account"]],
  [0x14, ["ESME_RMSGQFUL", "throttled"]],
  [0x15, ["ESME_RINVSERTYP", "account"]],
  [0x43, ["ESME_RINVESMCLASS", "account"]],
  [0x45, ["ESME_RSUBMITFAIL", "content"]],
  [0x48, ["ESME_RINVSRCTON", "sender"]],
  [0x49, ["ESME_RINVSRCNPI", "sender"]],
  [0x50, ["ESME_RINVDSTTON", "recipient"]],
  [0x51, ["ESME_RINVDSTNPI", "recipient"]],
  [0x53, ["ESME_RINVSYSTYP", "account"]],
  [0x58, ["ESME_RTHROTTLED", "throttled"]],
  [0x61, ["ESME_RINVSCHED", "content"]],
  [0x62, ["ESME_RINVEXPIRY", "content"]],
  [0x64, ["ESME_RX_T_APPN", "unknown"]],
  [0x65, ["ESME_RX_P_APPN", "unknown"]],
  [0xc0, ["ESME_RINVOPTPARSTREAM", "account"]],
  [0xc1, ["ESME_ROPTPARNOTALLWD", "account"]],
  [0xc2, ["ESME_RINVPARLEN", "account"]],
  [0xc3, ["ESME_RMISSINGOPTPARAM", "account"]],
  [0xc4, ["ESME_RINVOPTPARAMVAL", "account"]],
  [0xff, ["ESME_RUNKNOWNERR", "unknown"]],
])

/** @param own Meanings that the centre's operator documents. They take precedence. */
export const verdictOf = (
  status: number,
  own: Readonly<Record<number, RefusalClass>> | undefined,
): RefusalClass => own?.[status] ?? known.get(status)?.[1] ?? "unknown"

/** Example: `0x0000000b`. */
export const statusCode = (status: number): string => `0x${status.toString(16).padStart(8, "0")}`

/** Example: `ESME_RINVDSTADR (0x0000000b)`. */
export const statusText = (status: number): string => {
  const name = known.get(status)?.[0]
  return name === undefined ? `status ${statusCode(status)}` : `${name} (${statusCode(status)})`
}
