/** Actions on what is stored of people: searches for everything, or for one number, and erasures. */
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import { verificationStates } from "@countersign/core/domain/verifications/VerificationState"
import * as fc from "fast-check"
import { node, org, somebodyOrNobody } from "./actionFields.ts"
import { people } from "./scenario.ts"

export const search = fc.record({
  tag: fc.constant("search" as const),
  node,
  org,
  person: fc.option(somebodyOrNobody, { nil: undefined }),
  status: fc.constantFrom(undefined, undefined, ...messageStatuses),
  state: fc.constantFrom(undefined, ...verificationStates),
  limit: fc.constantFrom(1, 2, 200),
})

export const erase = fc.record({
  tag: fc.constant("erase" as const),
  node,
  org,
  person: fc.nat({ max: people.length - 1 }),
})
