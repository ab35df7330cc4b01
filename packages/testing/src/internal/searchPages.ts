import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type {
  Found,
  MessageSearch,
  Search,
  VerificationSearch,
} from "@countersign/core/ports/Search"
import * as Effect from "effect/Effect"
import type { Store } from "@countersign/core/ports/Store"

const everything: Search = {
  phoneNumber: undefined,
  from: undefined,
  to: undefined,
  before: undefined,
  limit: 50,
  examine: 100,
}

/** A search for all messages, except for the given fields. */
export const messageSearch = (asks: Partial<MessageSearch> = {}): MessageSearch => ({
  ...everything,
  statuses: messageStatuses,
  gateway: undefined,
  gatewayId: undefined,
  ...asks,
})

/** A search for all requests, except for the given fields. */
export const verificationSearch = (asks: Partial<VerificationSearch> = {}): VerificationSearch => ({
  ...everything,
  statuses: ["pending", "verified", "failed"],
  ...asks,
})

const pages = Effect.fnUntraced(function* <A, E>(
  read: (before: number | undefined) => Effect.Effect<Found<A> | undefined, E>,
) {
  const found: Array<A> = []
  let before: number | undefined
  do {
    const page = yield* read(before)
    found.push(...(page?.rows ?? []))
    before = page?.next
  } while (before !== undefined)
  return found
})

/** All messages that a search finds, from all of its pages. */
export const everyMessageOf = (
  store: Store["Service"],
  organization: OrganizationId,
  search: MessageSearch,
) => pages((before) => store.searchMessages(organization, { ...search, before }))

/** All requests that a search finds, from all of its pages. */
export const everyRequestOf = (
  store: Store["Service"],
  organization: OrganizationId,
  search: VerificationSearch,
) => pages((before) => store.searchVerifications(organization, { ...search, before }))
