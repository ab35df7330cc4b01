/** Requests whose codes were not sent, for a page of verifications. They wait in the outbox, or have ended there. */
import * as Effect from "effect/Effect"
import type { ListedVerification } from "../../api/verificationRecords.ts"
import type { StoreUnavailable } from "../../domain/errors/Errors.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as QueuedSend from "../../domain/outbox/QueuedSend.ts"
import { type OrganizationId, requestIdPrefix } from "../../domain/values/Ids.ts"
import type { VerificationState } from "../../domain/verifications/VerificationState.ts"
import type { Search } from "../../ports/Search.ts"
import { Store } from "../../ports/Store.ts"
import { statusOf } from "./queuedVerification.ts"

/** Maximum number of sends that are examined for codes, those that are due first. */
const maxExamined = 1_000

/** Maximum number of codes that are read, the newest. */
const maxRead = 200

/** The cursor of the codes before one, and of all requests whose codes were sent. */
export const writePlace = ({ requestId }: Pick<ListedVerification, "requestId">): string =>
  `q${requestId}`

/** `undefined`: it is another cursor. */
export const readPlace = (cursor: string): string | undefined =>
  /^q(vrf_\w{1,64})$/.exec(cursor)?.[1]

export const makeUnsentCodes = Effect.gen(function* () {
  const store = yield* Store

  /** A code is sent or ends within an hour, so few of them wait, however many were queued before. */
  const waiting = Effect.fnUntraced(function* (organization: OrganizationId) {
    const ids = yield* store.openQueued({ organization, queue: "" }, maxExamined)
    const codes = ids.filter((id) => QueuedSend.isCode({ id }))
    const read = codes.toSorted((a, b) => (a < b ? 1 : -1)).slice(0, maxRead)
    return yield* Effect.forEach(read, (id) => store.queued(organization, id), {
      concurrency: "unbounded",
    })
  })

  /** Also those that were refused, cancelled or too late: the store finds a number without reading others. */
  const ofNumber = (
    organization: OrganizationId,
    phoneNumber: NonNullable<Search["phoneNumber"]>,
  ) =>
    Effect.map(
      store.personalRows({
        organization,
        kind: "outbox",
        // The ids of messages come before those of codes.
        after: requestIdPrefix,
        limit: maxExamined,
        phoneNumber,
        // The outbox has numbers, and no digests of them.
        digests: [""],
      }),
      (found) => found?.rows.queued ?? [],
    )

  /** Newest first, by their ids, which begin with their times. `place`: gives those before this id. */
  return Effect.fnUntraced(function* (
    organization: OrganizationId,
    { from = -Infinity, phoneNumber, to = Infinity }: Search,
    place: string | undefined,
    states: ReadonlyArray<VerificationState>,
    limits: Limits,
  ): Effect.fn.Return<ReadonlyArray<ListedVerification>, StoreUnavailable> {
    const found =
      phoneNumber === undefined
        ? yield* waiting(organization)
        : yield* ofNumber(organization, phoneNumber)
    return found
      .flatMap((send): ReadonlyArray<ListedVerification> => {
        if (send === undefined || !QueuedSend.isCode(send)) return []
        if (place !== undefined && send.id >= place) return []
        const status = statusOf(send, limits)
        if (status === undefined) return []
        const { messages: _messages, ...request } = status
        return [{ ...request, delivery: null }]
      })
      .filter(
        ({ createdAt, status }) => states.includes(status) && createdAt >= from && createdAt <= to,
      )
      .toSorted((a, b) => (a.requestId < b.requestId ? 1 : -1))
  })
})
