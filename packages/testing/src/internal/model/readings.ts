/**
 * The reference's log and money, as texts.
 */
import type { ModelMessage } from "./messageState.ts"
import { codeSeconds } from "./queuedSends.ts"
import type { Reference } from "./reference.ts"
import { type Action, people } from "./scenario.ts"

/** How an erased number is shown. All people have numbers of Bangladesh. */
const erased = "erased:BD"

const lineOf = (reference: Reference, message: ModelMessage): string => {
  const { price, status } = reference.messageState(message)
  const { createdAt, isErased, logChannel, sequence, person, text } = message
  const phone = isErased ? erased : reference.person(person).phone
  const shown = text === undefined ? "a code" : isErased ? "" : text
  return `${sequence} ${phone} ${logChannel} ${status} ${price} ${createdAt} ${shown}`
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

/** Marks a request whose code was not sent. */
export const unsent = ", not sent"

/** Sorts the requests without a sent code, which come first: the ids of requests of one time are random. */
export const unsentFirst = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = lines.findIndex((line) => !line.endsWith(unsent))
  const end = first === -1 ? lines.length : first
  return [...lines.slice(0, end).toSorted(), ...lines.slice(end)]
}

/** The requests of queued codes that were not sent: those that wait, and all of a number. */
const unsentIn = (
  reference: Reference,
  { org, person, state }: Pick<Action<"search">, "org" | "person" | "state">,
): ReadonlyArray<string> =>
  reference.queued
    .filter((one) => one.org === org && one.isCode && one.end !== "sent" && !one.isDropped)
    .filter((one) =>
      person === undefined ? one.end === undefined : one.person === person && !one.isErased,
    )
    .map((one) => ({ ...one, status: one.end === undefined ? "queued" : "failed" }))
    .filter(({ status }) => state === undefined || state === status)
    .map(
      ({ expiresAt, person: to, status }) =>
        `${reference.person(to).phone} ${status} ${(expiresAt ?? 0) - codeSeconds * 1_000}${unsent}`,
    )

/** The results of searches for messages and for requests: newest first, without pages. */
export const foundIn = (
  reference: Reference,
  { org, person, state, status }: Omit<Action<"search">, "tag" | "node" | "limit">,
): string => {
  if (person !== undefined && person >= people.length) return "InvalidRequest phoneNumber"
  const isTo = (one: { readonly person: number }) => person === undefined || one.person === person
  const messages = reference
    .log(org)
    .filter((one) => isTo(one) && (person === undefined || !one.isErased))
  const { dropped } = reference.org(org)
  const requests = reference.requests
    .filter((one) => one.org === org && isTo(one))
    .filter((one) => !one.isDropped || (one.isForgotten && person === undefined))
    .map((request) => ({ request, first: request.earlier[0] ?? request.message }))
    .filter(({ first }) => first.sequence > dropped)
    .toSorted((a, b) => b.first.sequence - a.first.sequence)
  return [
    ...messages
      .toReversed()
      .filter((one) => status === undefined || reference.messageState(one).status === status)
      .map((message) => lineOf(reference, message)),
    ...unsentFirst(unsentIn(reference, { org, person, state })),
    ...requests
      .filter(({ request }) => state === undefined || reference.state(request) === state)
      .map(
        ({ request }) =>
          `${request.isForgotten ? erased : reference.person(request.person).phone} ${reference.state(request)} ${request.createdAt}`,
      ),
  ].join("\n")
}

export const moneyOf = (reference: Reference, org: number, key: number | undefined): string =>
  reference.isRefused(org, key)
    ? "Unauthorized"
    : `${reference.balance(org)} + ${reference.held(org)} held`
