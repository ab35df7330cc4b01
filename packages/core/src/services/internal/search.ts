/** Searches the messages and requests of an organization. */
import * as Effect from "effect/Effect"
import { Access } from "../../engine/Access.ts"
import type { Parsed } from "../../api/Caller.ts"
import type { StaleSettings } from "../../engine/Commits.ts"
import * as Cursor from "../../domain/values/Cursor.ts"
import { isStorable } from "../../domain/values/internal/checks.ts"
import { Limits } from "../../domain/limits/Limits.ts"
import type { Message } from "../../domain/messages/Message.ts"
import { messageStatuses } from "../../domain/messages/MessageStatus.ts"
import * as Organization from "../../domain/organizations/Organization.ts"
import * as PhoneNumber from "../../domain/values/PhoneNumber.ts"
import {
  type VerificationState,
  verificationStates,
} from "../../domain/verifications/VerificationState.ts"
import * as Search from "../../ports/Search.ts"
import { Store } from "../../ports/Store.ts"
import type { FoundMessages, SearchError, SearchMessages } from "../../api/messages.ts"
import type { FoundVerifications, SearchVerifications } from "../../api/verifications.ts"
import { FieldProblems } from "../../api/internal/fieldProblems.ts"
import { stateOf } from "../verifications/requestLife.ts"
import * as UnsentCodes from "./unsentCodes.ts"

/** Maximum number of messages that a page examines. */
export const maxExamined = 2_000

export const makeSearch = Effect.gen(function* () {
  const access = yield* Access
  const store = yield* Store
  const hostLimits = yield* Limits
  const numberPolicy = yield* PhoneNumber.NumberPolicy
  const unsentCodes = yield* UnsentCodes.makeUnsentCodes

  const searchOf = (
    problems: FieldProblems,
    input: Parsed<Omit<SearchMessages, "statuses">>,
    organization: Organization.Organization,
  ): Search.Search => {
    const { pageSize } = Organization.limitsOf(organization, hostLimits)
    const limit = problems.value("limit", input.limit) ?? pageSize.default
    const from = problems.value("from", input.from)
    const to = problems.value("to", input.to)
    problems.integer("limit", limit, { min: 1, max: pageSize.max })
    problems.period({ from, to })
    const number = problems.value("phoneNumber", input.phoneNumber)
    const cursor = problems.value("cursor", input.cursor)
    return {
      phoneNumber:
        number === undefined
          ? undefined
          : problems.parse("phoneNumber", number, (text) => numberPolicy.parse(text, "optional")),
      before: cursor === undefined ? undefined : problems.parse("cursor", cursor, Cursor.parse),
      from,
      to,
      limit,
      examine: maxExamined,
    }
  }

  /** A gateway's id leads to one message, which the other fields may exclude. */
  const ofGatewayId = Effect.fnUntraced(function* (
    { id: organization }: Organization.Organization,
    search: Search.MessageSearch,
    gateway: string,
    gatewayId: string,
  ) {
    const ref = yield* store.locate(gateway, gatewayId)
    // No message has the sequence 0.
    const sequence = ref?.organization === organization ? ref.sequence : 0
    const found = yield* store.message({ organization, sequence })
    if (found === undefined) return undefined
    const { message, version } = found
    const rows = message !== undefined && isWithin(search, message) ? [message] : []
    return { version, rows, next: undefined }
  })

  const findMessages = (
    input: Parsed<SearchMessages>,
    organization: Organization.Organization,
  ): Effect.Effect<Search.Found<Message> | undefined, SearchError | StaleSettings> => {
    const problems = new FieldProblems()
    const gateway = problems.value("gateway", input.gateway)
    const gatewayId = problems.value("gatewayId", input.gatewayId)
    const sender = problems.value("sender", input.sender)
    const batch = problems.value("batch", input.batch)
    const search: Search.MessageSearch = {
      ...searchOf(problems, input, organization),
      statuses: [...new Set(problems.value("statuses", input.statuses) ?? messageStatuses)],
      gateway,
      gatewayId,
      channel: problems.value("channel", input.channel),
      sender,
      batch,
      reasons: problems.value("reasons", input.reasons),
    }
    for (const [field, value] of Object.entries({ gateway, gatewayId, sender, batch })) {
      if (value !== undefined && !isStorable(value)) {
        problems.fail(field, "malformed_text", {})
      }
    }
    if (gatewayId !== undefined && gateway === undefined && !problems.has("gateway")) {
      problems.fail("gateway", "required", {})
    }
    if (problems.error !== undefined) return access.refuse(organization, problems.error)
    return gateway === undefined || gatewayId === undefined || search.phoneNumber !== undefined
      ? store.searchMessages(organization.id, search)
      : ofGatewayId(organization, search, gateway, gatewayId)
  }

  const findVerifications = Effect.fnUntraced(function* (
    input: Parsed<SearchVerifications>,
    organization: Organization.Organization,
  ) {
    const problems = new FieldProblems()
    const place = typeof input.cursor === "string" ? UnsentCodes.readPlace(input.cursor) : undefined
    const search = searchOf(
      problems,
      place === undefined ? input : { ...input, cursor: undefined },
      organization,
    )
    const states = problems.value("statuses", input.statuses) ?? verificationStates
    const channel = problems.value("channel", input.channel)
    const purpose = problems.value("purpose", input.purpose)
    const deliveries = problems.value("deliveries", input.deliveries)
    if (purpose !== undefined && !isStorable(purpose))
      problems.fail("purpose", "malformed_text", {})
    if (problems.error !== undefined) return yield* access.refuse(organization, problems.error)
    const statuses = [...new Set(states.flatMap(storedOf))]
    const limits = Organization.limitsOf(organization, hostLimits)
    const waiting =
      search.before === undefined
        ? (yield* unsentCodes(organization.id, search, place, states, limits)).filter(
            (one) =>
              deliveries === undefined &&
              (channel === undefined || channel === one.channel) &&
              (purpose === undefined || purpose === one.purpose),
          )
        : []
    const unsent = waiting.slice(0, search.limit)
    const rest = search.limit - unsent.length
    const isLogRead = rest > 0 && statuses.length > 0
    // A code that is sent meanwhile is in the log, which is read last. The version is read in any case.
    const found = yield* store.searchVerifications(organization.id, {
      ...search,
      statuses,
      channel,
      purpose,
      deliveries,
      ...(isLogRead ? { limit: rest } : { limit: 1, examine: 1 }),
    })
    if (found === undefined) return undefined
    const { version } = found
    if (!isLogRead) {
      const [last] = unsent.slice(-1)
      const log = statuses.length === 0 ? undefined : Cursor.make(Number.MAX_SAFE_INTEGER)
      const isCut = last !== undefined && waiting.length > unsent.length
      return { version, rows: unsent, next: isCut ? UnsentCodes.writePlace(last) : log }
    }
    // A message that an erasure has left keeps the number, but its request has lost it.
    const { phoneNumber } = search
    const named = found.rows.filter(
      (row) => phoneNumber === undefined || row.phoneNumber === phoneNumber,
    )
    const rows = named.map((row) => {
      const delivery = found.deliveries.get(row.requestId) ?? null
      return { ...stateOf(row, limits, found.now, delivery), delivery }
    })
    const sent = new Set(rows.map(({ requestId }) => requestId))
    return {
      version,
      next: cursorOf(found.next),
      rows: [
        ...unsent.filter(({ requestId }) => !sent.has(requestId)),
        ...rows.filter(({ status }) => states.includes(status)),
      ],
    }
  })

  const messages = (input: Parsed<SearchMessages>): Effect.Effect<FoundMessages, SearchError> =>
    Effect.map(
      access.read(input, (organization) => findMessages(input, organization)),
      ({ next, rows }) => ({ messages: rows, next: cursorOf(next) }),
    )

  const verifications = (
    input: Parsed<SearchVerifications>,
  ): Effect.Effect<FoundVerifications, SearchError> =>
    Effect.map(
      access.read(input, (organization) => findVerifications(input, organization)),
      ({ next, rows }) => ({ verifications: rows, next }),
    )

  return { messages, verifications }
})

/** A request that has expired is stored as pending. One that is queued is not in the log. */
const storedOf = (state: VerificationState) =>
  state === "queued" ? [] : [state === "expired" ? ("pending" as const) : state]

const cursorOf = (next: number | undefined) => (next === undefined ? undefined : Cursor.make(next))

/** Whether a message is selected, whose phone number is not asked for. */
const isWithin = (search: Search.MessageSearch, message: Message): boolean =>
  Search.selects(search, message) &&
  message.sequence < (search.before ?? Infinity) &&
  message.createdAt >= (search.from ?? -Infinity) &&
  message.createdAt <= (search.to ?? Infinity)
