/** Pages of the log by their numbers. */
import * as Effect from "effect/Effect"
import type { Caller, Parsed } from "../../api/Caller.ts"
import { FieldProblems } from "../../api/internal/fieldProblems.ts"
import { Limits } from "../../domain/limits/Limits.ts"
import type * as Message from "../../domain/messages/Message.ts"
import * as Organization from "../../domain/organizations/Organization.ts"
import { Access } from "../../engine/Access.ts"
import { Store } from "../../ports/Store.ts"

export interface ListMessages extends Caller {
  /** 1 to 200. @defaultValue 50 */
  readonly limit?: number | undefined
  /** From 1. @defaultValue 1 */
  readonly page?: number | undefined
  /** Epoch milliseconds, inclusive. Set both bounds or neither. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface MessageList {
  /** Newest first. */
  readonly messages: ReadonlyArray<Message.Message>
  readonly page: number
  readonly limit: number
  /** The exact number of matching messages. */
  readonly total: number
  readonly totalPages: number
}

export const makeMessagePages = Effect.gen(function* () {
  const access = yield* Access
  const store = yield* Store
  const hostLimits = yield* Limits

  return (input: Parsed<ListMessages>, organization: Organization.Organization) => {
    const { pageSize } = Organization.limitsOf(organization, hostLimits)
    const problems = new FieldProblems()
    const limit = problems.value("limit", input.limit) ?? pageSize.default
    const page = problems.value("page", input.page) ?? 1
    const from = problems.value("from", input.from)
    const to = problems.value("to", input.to)
    problems.integer("limit", limit, { min: 1, max: pageSize.max })
    problems.integer("page", page, { min: 1, max: maxPage })
    const times = from === undefined || to === undefined ? undefined : { from, to }
    if (times !== undefined) problems.period(times)
    const { error } = problems
    if (error !== undefined) return access.refuse(organization, error)
    const found = store.messages(organization.id, {
      from: times?.from,
      to: times?.to,
      skip: (page - 1) * limit,
      limit,
    })
    return Effect.map(
      found,
      (log) => log && { ...log, page, limit, totalPages: Math.ceil(log.total / limit) },
    )
  }
})

/** Above this page, `(page - 1) * limit` would not be exact. */
const maxPage = 1_000_000_000
