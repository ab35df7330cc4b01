/** Meanings of the command status of an answer. */
import type { RefusalClass } from "../../VendorOptions.ts"
import type { Meanings } from "../meanings.ts"

/** The statuses of SMPP 3.4 with a definite meaning. */
const known: ReadonlyMap<number, readonly [name: string, verdict: RefusalClass, meaning: string]> =
  new Map([
    [0x01, ["ESME_RINVMSGLEN", "content", "The length of the message is invalid"]],
    [0x02, ["ESME_RINVCMDLEN", "account", "The length of the command is invalid"]],
    [0x03, ["ESME_RINVCMDID", "account", "The centre does not know the command"]],
    [0x04, ["ESME_RINVBNDSTS", "account", "The command is not allowed for this kind of bind"]],
    [0x05, ["ESME_RALYBND", "unknown", "The connection is already bound"]],
    [0x06, ["ESME_RINVPRTFLG", "account", "The priority flag is invalid"]],
    [0x07, ["ESME_RINVREGDLVFLG", "account", "The request for a receipt is invalid"]],
    // The specification does not say how far the request was processed.
    [0x08, ["ESME_RSYSERR", "unknown", "The centre had a system error"]],
    [0x0a, ["ESME_RINVSRCADR", "sender", "The sender is invalid"]],
    [0x0b, ["ESME_RINVDSTADR", "recipient", "The recipient is invalid"]],
    [0x0d, ["ESME_RBINDFAIL", "account", "The bind failed"]],
    [0x0e, ["ESME_RINVPASWD", "account", "The password is wrong"]],
    [0x0f, ["ESME_RINVSYSID", "account", "The system_id is wrong"]],
    [0x14, ["ESME_RMSGQFUL", "throttled", "The queue of the centre is full"]],
    [0x15, ["ESME_RINVSERTYP", "account", "The service_type is invalid"]],
    [0x43, ["ESME_RINVESMCLASS", "account", "The esm_class is invalid"]],
    [0x45, ["ESME_RSUBMITFAIL", "content", "The centre could not take the message"]],
    [0x48, ["ESME_RINVSRCTON", "sender", "The type of the sender's address is invalid"]],
    [0x49, ["ESME_RINVSRCNPI", "sender", "The numbering plan of the sender is invalid"]],
    [0x50, ["ESME_RINVDSTTON", "recipient", "The type of the recipient's address is invalid"]],
    [0x51, ["ESME_RINVDSTNPI", "recipient", "The numbering plan of the recipient is invalid"]],
    [0x53, ["ESME_RINVSYSTYP", "account", "The system_type is invalid"]],
    [0x58, ["ESME_RTHROTTLED", "throttled", "Too many messages at once"]],
    [0x61, ["ESME_RINVSCHED", "content", "The time of the delivery is invalid"]],
    [0x62, ["ESME_RINVEXPIRY", "content", "The validity period is invalid"]],
    [0x64, ["ESME_RX_T_APPN", "unknown", "The centre has a temporary error"]],
    [0x65, ["ESME_RX_P_APPN", "unknown", "The centre has a permanent error"]],
    [0xc0, ["ESME_RINVOPTPARSTREAM", "account", "The optional part of the command is invalid"]],
    [0xc1, ["ESME_ROPTPARNOTALLWD", "account", "An optional field is not allowed"]],
    [0xc2, ["ESME_RINVPARLEN", "account", "The length of a field is invalid"]],
    [0xc3, ["ESME_RMISSINGOPTPARAM", "account", "A required optional field is missing"]],
    [0xc4, ["ESME_RINVOPTPARAMVAL", "account", "The value of an optional field is invalid"]],
    [0xff, ["ESME_RUNKNOWNERR", "unknown", "The centre named no cause"]],
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

/** The meanings of the statuses, in English, by {@link statusCode}. */
export const meanings: Meanings = Object.fromEntries(
  [...known].map(([status, [, , meaning]]) => [statusCode(status), meaning]),
)
