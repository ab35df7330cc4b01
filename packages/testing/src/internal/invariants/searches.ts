import type { Message } from "@countersign/core/domain/messages/Message"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import {
  firstMessage,
  type Verification,
} from "@countersign/core/domain/verifications/Verification"
import { selects } from "@countersign/core/ports/Search"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import {
  everyMessageOf,
  everyRequestOf,
  messageSearch,
  verificationSearch,
} from "../searchPages.ts"
import type { Snapshot } from "./snapshot.ts"

export interface SearchOptions {
  /** Rows in a page. */
  readonly limit: number
  /** Messages that a page examines; at least `limit`. */
  readonly examine: number
  /** How many of the phone numbers are searched, the newest first. */
  readonly phoneNumbers: number
}

/** The differences between the pages of searches and the rows. */
export const searchProblems = Effect.fnUntraced(function* (
  store: Store["Service"],
  { account: { organization }, messages, verifications }: Snapshot,
  { phoneNumbers, ...pages }: SearchOptions,
) {
  const found: Array<string> = []
  const newest = messages.toReversed()
  const byFirst = verifications.toSorted((a, b) => firstMessage(b) - firstMessage(a))
  const known = [...new Set(newest.map((one) => one.phoneNumber))].slice(0, phoneNumbers)
  for (const phoneNumber of [undefined, ...known]) {
    const isTo = (row: Pick<Message | Verification, "phoneNumber">) =>
      phoneNumber === undefined || row.phoneNumber === phoneNumber
    for (const statuses of [messageStatuses, ["failed", "rejected"] as const]) {
      const search = messageSearch({ phoneNumber, statuses, ...pages })
      const rows = yield* everyMessageOf(store, organization, search)
      const expected = newest.filter((one) => isTo(one) && selects(search, one))
      if (!Equal.equals(rows, expected)) {
        found.push(`I37: a search for ${statuses.join(", ")} finds other messages than the log has`)
      }
    }
    const search = verificationSearch({ phoneNumber, ...pages })
    const requests = yield* everyRequestOf(store, organization, search)
    if (!Equal.equals(requests, byFirst.filter(isTo))) {
      found.push("I37: a search finds other requests than there are")
    }
  }
  return found
})
