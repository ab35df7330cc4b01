/**
 * The reference's log and money, as texts.
 */
import type { ModelMessage } from "./messageState.ts"
import type { Reference } from "./reference.ts"

const lineOf = (reference: Reference, message: ModelMessage): string => {
  const { price, status } = reference.messageState(message)
  const { createdAt, logChannel, sequence, person, text } = message
  const { phone } = reference.person(person)
  return `${sequence} ${phone} ${logChannel} ${status} ${price} ${createdAt} ${text ?? "a code"}`
}

export const pageOf = (
  reference: Reference,
  org: number,
  query: { page: number; limit: number; from?: number; to?: number },
): string => {
  const { from = -Infinity, limit, page, to = Infinity } = query
  if (from > to) return "InvalidRequest from"
  const matching = reference
    .log(org)
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
  const shown = matching.toReversed().slice((page - 1) * limit, page * limit)
  const pages = Math.ceil(matching.length / limit)
  return [
    `${matching.length} in ${pages} pages`,
    ...shown.map((message) => lineOf(reference, message)),
  ].join("\n")
}

export const moneyOf = (reference: Reference, org: number, key: number | undefined): string =>
  reference.isRefused(org, key)
    ? "Unauthorized"
    : `${reference.balance(org)} + ${reference.held(org)} held`
