/** The balance of an organization, and the ledger behind it. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Actor } from "../domain/values/Actor.ts"
import { Access } from "../engine/Access.ts"
import type { AccessError, Caller } from "../api/Caller.ts"
import type { Entry } from "../domain/money/Account.ts"
import type { Command } from "../decide/Command.ts"
import { Commits } from "../engine/Commits.ts"
import * as Errors from "../domain/errors/Errors.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import type { account, ledger } from "../api/account.ts"
import type * as Operation from "../api/Operation.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { invalid } from "../api/Input.ts"
import { makeLedgerSums } from "./internal/ledgerSums.ts"
import { makeMessagesOf } from "./internal/messagesOf.ts"
import { newId } from "../engine/internal/newId.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import { traced } from "../engine/internal/traced.ts"
import * as Money from "../domain/values/Money.ts"
import * as Statement from "../domain/money/Statement.ts"
import * as Transactions from "../domain/messages/Transaction.ts"
import { dayMillis } from "../domain/money/Total.ts"
import * as TimeZone from "../domain/values/TimeZone.ts"
import { Pricing } from "../decide/Pricing.ts"
import { Store } from "../ports/Store.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"

type Inputs = Operation.Inputs<typeof account & typeof ledger>

export type Booking = Inputs["topUp"]

export type Adjustment = Inputs["adjust"]

export type Posting = (typeof account.topUp.output)["Type"]

export type Period = Inputs["statement"]

/** Longest note of a booking, in UTF-16 units. */
export const maxNoteLength = 200

/** How long a booking without an outcome may be repeated, in milliseconds. */
const repeatMillis = 600_000

/** Maximum number of kept payment ids of such bookings; the oldest is dropped first. */
export const maxUnknown = 1_000

/** Longest payment id of a host, in characters. */
export const maxPaymentIdLength = 200

export class Accounts extends Context.Service<
  Accounts,
  Pick<
    Operation.HostMethods<typeof account & typeof ledger>,
    "topUp" | "adjust" | "entries" | "newestEntries" | "statement" | "movements" | "balances"
  > & {
    readonly balance: (
      caller: Caller,
    ) => Effect.Effect<(typeof account.balance.output)["Type"], AccessError>
    /**
     * Returns the entries of a period as CSV, in parts of 1,000 entries, and reads a part when it is needed.
     * `InvalidRequest`: `from` is after `to`, or there are more than 1,000,000 entries. `kinds`: only these.
     */
    readonly entriesCsv: (
      query: Period & { readonly kinds?: ReadonlyArray<Entry["kind"]> | undefined },
    ) => Effect.Effect<
      Stream.Stream<string, Errors.StoreUnavailable>,
      Errors.InvalidRequest | Errors.StoreUnavailable
    >
    /** Returns the transactions of a period as CSV, as `entriesCsv` returns the entries. */
    readonly movementsCsv: (
      query: Period & { readonly kinds?: ReadonlyArray<Transactions.Kind> | undefined },
    ) => Effect.Effect<
      Stream.Stream<string, Errors.StoreUnavailable>,
      Errors.InvalidRequest | Errors.StoreUnavailable
    >
  }
>()("@countersign/core/services/Accounts") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const commits = yield* Commits
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store
  const { currency } = yield* Pricing
  /** Payment ids that were generated for bookings without an outcome. A repeat of the call gets the oldest of its ids. */
  const unknown: Array<{
    readonly call: string
    readonly paymentId: string
    readonly until: number
  }> = []
  const sumEntries = makeLedgerSums(store)
  const messagesOf = makeMessagesOf(store)

  const commit = Effect.fnUntraced(
    function* (booking: Booking, kind: BookingKind, paymentId: string) {
      return yield* commits.run({
        _tag: "Book",
        kind,
        organization: booking.organization,
        amount: booking.amount,
        note: booking.note ?? "",
        paymentId,
        actor: yield* Actor,
      })
    },
    // A booking carries no version, so it cannot be stale.
    Effect.catchTag("StaleSettings", Effect.die),
  )

  /** Books with a generated payment id. Uninterruptible, so that the id of an unknown outcome is kept. */
  const commitWithoutId = Effect.fnUntraced(function* (booking: Booking, kind: BookingKind) {
    const { amount, note, organization } = booking
    const call = JSON.stringify([kind, organization, amount, note ?? ""])
    const now = yield* Clock.currentTimeMillis
    const index = unknown.findIndex((one) => one.call === call && one.until > now)
    // Each id is used once: two equal calls are two bookings.
    const [kept] = index === -1 ? [] : unknown.splice(index, 1)
    const paymentId = kept?.paymentId ?? (yield* newId(random, generatedPrefix))
    return yield* commit(booking, kind, paymentId).pipe(
      Effect.onError(() =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          unknown.push({ call, paymentId, until: at + repeatMillis })
          if (unknown.length > maxUnknown) unknown.shift()
        }),
      ),
    )
  }, Effect.uninterruptible)

  const booked = Effect.fnUntraced(function* (booking: Booking, kind: BookingKind) {
    const problem = bookingProblem(booking, kind)
    if (problem !== undefined) return yield* problem
    const outcome = yield* booking.paymentId === undefined
      ? commitWithoutId(booking, kind)
      : commit(booking, kind, booking.paymentId)
    switch (outcome._tag) {
      case "Posted":
        // Only a booking of nothing has no entry, and it was refused before.
        if (outcome.entry === undefined) return yield* Effect.die("a booking without an entry")
        return {
          balance: outcome.balance,
          held: outcome.held,
          currency,
          entry: withoutGeneratedId(outcome.entry),
          isRepeat: outcome.isRepeat,
        }
      case "PaymentMismatch": {
        const { amount, kind } = outcome.entry
        const first = { kind, amount: Money.format(amount) }
        return yield* invalid("paymentId", FieldProblem.make("payment_id_reused", first))
      }
      case "TooMuch": {
        const max = Money.format(outcome.most)
        return yield* invalid("amount", FieldProblem.make("too_large", { max }))
      }
      case "Insufficient":
        return yield* new Errors.InsufficientBalance({
          required: outcome.required,
          available: outcome.available,
        })
    }
  })

  /** The balances at both ends of a period with at most `max` entries. */
  const edges = Effect.fnUntraced(function* ({ from, organization, to }: Period, max: number) {
    if (from > to) return yield* invalid("from", FieldProblem.make("after_to", {}))
    const before = yield* store.balancesBefore(organization, from)
    const after = yield* store.balancesBefore(organization, to)
    if (after.sequence - before.sequence > max) {
      return yield* invalid("to", FieldProblem.make("too_many_entries", { max }))
    }
    return { before, after }
  })

  const statement = Effect.fnUntraced(function* (period: Period) {
    const { from, organization, to } = period
    const { after, before } = yield* edges(period, maxStatementEntries)
    return {
      from,
      to,
      currency,
      opening: { balance: before.balance, held: before.held },
      entries: yield* sumEntries(organization, before.sequence, after.sequence),
      closing: { balance: after.balance, held: after.held },
    }
  })

  /** The lines of the entries of a period, in parts. */
  const csvOf = Effect.fnUntraced(function* (
    { kinds, ...period }: Period & { readonly kinds?: ReadonlyArray<Entry["kind"]> | undefined },
    header: string,
    linesOf: (entries: ReadonlyArray<Entry>) => Effect.Effect<string, Errors.StoreUnavailable>,
  ) {
    const { after, before } = yield* edges(period, maxCsvEntries)
    const page = Effect.fnUntraced(function* (place: number) {
      const length = Math.min(csvPage, after.sequence - place)
      if (length === 0) return [[], Option.none()] as const
      const entries = yield* store.entries(period.organization, place, length)
      const lines = yield* linesOf(ofKinds(entries, kinds).map(withoutGeneratedId))
      return [[lines], Option.some(place + length)] as const
    })
    return Stream.concat(Stream.make(header), Stream.paginate(before.sequence, page))
  })

  /** The transactions that begin with these entries. */
  const transactionsOf = Effect.fnUntraced(function* (
    organization: OrganizationId,
    entries: ReadonlyArray<Entry>,
  ) {
    const sequences = entries.flatMap(({ messageSequence }) => messageSequence ?? [])
    const messages = yield* messagesOf(organization, sequences)
    return entries.map((entry) => Transactions.of(entry, messages.get(entry.messageSequence ?? 0)))
  })

  const newestEntries = Effect.fn("Accounts.newestEntries")(function* ({
    before = Infinity,
    from,
    kinds,
    limit,
    organization,
    to,
  }: Inputs["newestEntries"]) {
    const sequenceAt = (at: number) =>
      Effect.map(store.balancesBefore(organization, at), ({ sequence }) => sequence)
    const low = from === undefined ? 0 : yield* sequenceAt(from)
    const { entries: last = 0 } = (yield* store.account(organization)) ?? {}
    const high = to === undefined ? last : yield* sequenceAt(to)
    // Sequences have no gaps.
    const end = Math.min(Math.max(before, 1), high + 1)
    const most = pageLimit(limit)
    const length = Math.min(kinds === undefined ? most : maxExamined, end - 1 - low)
    if (length <= 0) return { entries: [], next: undefined }
    const start = end - 1 - length
    const read = yield* store.entries(organization, start, length)
    const selected = ofKinds(read, kinds).toReversed()
    const entries = selected.slice(0, most)
    const reached = selected.length > most ? entries.at(-1)?.sequence : start + 1
    return {
      entries: entries.map(withoutGeneratedId),
      next: reached !== undefined && reached > low + 1 ? reached : undefined,
    }
  })

  const movements = Effect.fn("Accounts.movements")(function* ({
    batchId,
    kinds,
    limit,
    ...query
  }: Inputs["movements"]) {
    const most = pageLimit(limit)
    const { entries, next } = yield* newestEntries({
      ...query,
      kinds: Transactions.entryKindsOf(kinds),
      limit: maxExamined,
    })
    let rows: ReadonlyArray<Transactions.Transaction> = []
    let last = 0
    for (let start = 0; start < entries.length; start += most) {
      const part = entries.slice(start, start + most)
      for (const one of yield* transactionsOf(query.organization, part)) {
        const added = Transactions.add(rows, one, { limit: most, batchId })
        if (added === undefined) return { movements: rows, next: last }
        rows = added
        last = one.sequence
      }
    }
    return { movements: rows, next }
  })

  const balances = Effect.fn("Accounts.balances")(function* (query: Inputs["balances"]) {
    const { from, organization, to, zone: given } = query
    const { settings } = yield* access.load(organization)
    const problems = new FieldProblems()
    if (given !== undefined && !TimeZone.isZone(given)) problems.fail("zone", "unknown_zone", {})
    if (from > to) problems.fail("from", "after_to", {})
    if (to - from > maxDays * dayMillis) problems.fail("to", "too_many_slots", { max: maxDays })
    if (problems.error !== undefined) return yield* problems.error
    const [starts, end] = TimeZone.slotsOf(given ?? settings.zone ?? "UTC", "day", from, to)
    return yield* Effect.forEach(
      starts,
      (at, index) =>
        Effect.map(
          store.balancesBefore(organization, starts[index + 1] ?? end),
          ({ balance, held }) => ({ at, balance, held }),
        ),
      { concurrency: maxQueries },
    )
  })

  return Accounts.of({
    balance: traced("Accounts.balance", (caller) =>
      Effect.map(
        access.read(caller, ({ id }) => store.account(id)),
        ({ balance, held }) => ({ balance, held, currency }),
      ),
    ),
    topUp: Effect.fn("Accounts.topUp")((booking) =>
      booked(booking, "top-up").pipe(Effect.catchTag("InsufficientBalance", Effect.die)),
    ),
    adjust: Effect.fn("Accounts.adjust")((booking) => booked(booking, "adjustment")),
    entries: Effect.fn("Accounts.entries")(({ after = 0, limit, organization }) =>
      Effect.map(store.entries(organization, after, pageLimit(limit)), (entries) =>
        entries.map(withoutGeneratedId),
      ),
    ),
    newestEntries,
    movements,
    balances,
    statement: Effect.fn("Accounts.statement")(statement),
    entriesCsv: Effect.fn("Accounts.entriesCsv")((query) =>
      csvOf(query, Statement.entriesHeader, (entries) =>
        Effect.succeed(Statement.entriesToCsv(entries, currency)),
      ),
    ),
    movementsCsv: Effect.fn("Accounts.movementsCsv")(({ kinds, ...period }) =>
      csvOf(
        { ...period, kinds: Transactions.entryKindsOf(kinds) },
        Transactions.csvHeader,
        (entries) =>
          Effect.map(transactionsOf(period.organization, entries), (found) =>
            Transactions.toCsv(found, currency),
          ),
      ),
    ),
  })
})

export const layer = Layer.effect(Accounts, make)

/** Maximum number of entries in the period of a statement. The first statement reads them in some ten seconds. */
const maxStatementEntries = 50_000_000

/** Maximum number of entries in the CSV of a period: as many as a spreadsheet can show. */
const maxCsvEntries = 1_000_000

const csvPage = 1_000

/** Maximum number of days whose balances are read at once. Each takes a binary search. */
const maxDays = 400

const maxExamined = 1_000

/** Number of rows that are read at the same time. */
const maxQueries = 4

const ofKinds = (
  entries: ReadonlyArray<Entry>,
  kinds: ReadonlyArray<Entry["kind"]> | undefined,
): ReadonlyArray<Entry> =>
  kinds === undefined ? entries : entries.filter(({ kind }) => kinds.includes(kind))

type BookingKind = Command<"Book">["kind"]

const generatedPrefix = "countersign"

const isGenerated = (paymentId: string): boolean => paymentId.startsWith(`${generatedPrefix}_`)

const withoutGeneratedId = (entry: Entry): Entry =>
  entry.paymentId !== null && isGenerated(entry.paymentId) ? { ...entry, paymentId: null } : entry

const bookingProblem = (
  { amount, note = "", paymentId }: Booking,
  kind: BookingKind,
): Errors.InvalidRequest | undefined => {
  const problems = new FieldProblems()
  if (kind === "top-up" && amount <= 0) problems.fail("amount", "not_positive", {})
  if (kind === "adjustment" && amount === 0) problems.fail("amount", "zero", {})
  if (kind === "adjustment" && note.trim() === "") problems.fail("note", "required", {})
  if (note.length > maxNoteLength || note.includes("\u0000") || !note.isWellFormed()) {
    problems.fail("note", "invalid_note", { max: maxNoteLength })
  }
  if (paymentId !== undefined) {
    problems.printable("paymentId", paymentId, maxPaymentIdLength)
    if (isGenerated(paymentId)) {
      const prefix = `${generatedPrefix}_`
      problems.fail("paymentId", "reserved_prefix", { prefix })
    }
  }
  return problems.error
}
