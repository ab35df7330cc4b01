/** The fields of reports that are kept as evidence. */
import type { Evidence } from "@countersign/core/domain/messages/Evidence"

/** A time in seconds since the epoch, as an ISO time; `undefined` for other values. */
export const epochTime = (value: unknown): string | undefined =>
  /^[12]\d{9}$/.test(String(value)) ? new Date(Number(value) * 1_000).toISOString() : undefined

/** A time such as `2611211757` or `20261121175737`, as an ISO time without a zone; otherwise `undefined`. */
export const writtenTime = (text: string): string | undefined => {
  const [, year, month, day, hour, minute, second] =
    /^(?:20)?(\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])([0-5]\d)([0-5]\d)?$/.exec(
      text,
    ) ?? []
  if (year === undefined) return undefined
  return `20${year}-${month}-${day}T${hour}:${minute}${second === undefined ? "" : `:${second}`}`
}

const receiptField = /(?:^|\s)(id|sub|dlvrd|submit date|done date|stat|err):([^\s]*)(?=\s|$)/gi

/** An SMPP receipt's text without the start of the message that it quotes, which often contains the code. */
export const withoutText = (receipt: string): string => receipt.split(/\stext:/i, 1).join("")

/** The fields of an SMPP receipt's text. */
export const receiptFields = (receipt: string): Evidence =>
  Object.fromEntries(
    [...withoutText(receipt).matchAll(receiptField)].map(([, name = "", value = ""]) => [
      name.toLowerCase(),
      name.toLowerCase().endsWith("date") ? writtenTime(value) : value,
    ]),
  )

/** The state in a receipt, with its error unless that is zero. */
export const receiptState = (state: string, error: string | undefined): string =>
  error === undefined || /^0+$/.test(error) ? state : `${state}, error ${error}`
