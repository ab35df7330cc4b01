/**
 * What an organization can spend, and how it came to that.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AccessError, Access, type Caller } from "./Access.ts"
import type { Entry } from "./Account.ts"
import { Commits } from "./Commits.ts"
import type { StoreUnavailable } from "./Errors.ts"
import { InsufficientBalance, InvalidRequest, OrganizationNotFound } from "./Errors.ts"
import type { OrganizationId } from "./Ids.ts"
import { StaleSettings } from "./internal/staleSettings.ts"
import { traced } from "./internal/traced.ts"
import * as Money from "./Money.ts"
import type { Organization } from "./Organization.ts"
import { Pricing } from "./Pricing.ts"
import { Store } from "./Store.ts"

export interface Balance {
  /** What can still be spent: open holds are taken off. */
  readonly balance: Money.Money
  /** Held for messages whose outcome is open. */
  readonly held: Money.Money
  readonly currency: string
}

/** A change of the balance by the host. */
export interface Booking {
  readonly organization: OrganizationId
  readonly amount: Money.Money
  /** Why, in the host's own words; at most 200 characters. */
  readonly note?: string | undefined
}

/** Longest note of a booking, in UTF-16 units. */
export const maxNoteLength = 200

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly balance: (caller: Caller) => Effect.Effect<Balance, AccessError>
    /** Adds a positive amount. */
    readonly topUp: (
      booking: Booking,
    ) => Effect.Effect<Money.Money, InvalidRequest | OrganizationNotFound | StoreUnavailable>
    /** Adds a signed amount; never takes more than there is. */
    readonly adjust: (
      booking: Booking,
    ) => Effect.Effect<
      Money.Money,
      InvalidRequest | InsufficientBalance | OrganizationNotFound | StoreUnavailable
    >
    /** Ledger entries numbered above `after`, in order; at most 1,000 at a time. */
    readonly entries: (query: {
      readonly organization: OrganizationId
      readonly after?: number | undefined
      readonly limit?: number | undefined
    }) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>
  }
>()("@countersign/core/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const access = yield* Access
      const commits = yield* Commits
      const store = yield* Store
      const { currency } = yield* Pricing

      const booked = Effect.fnUntraced(function* (booking: Booking, tag: "TopUp" | "Adjust") {
        const problem = bookingProblem(booking, tag)
        if (problem !== undefined) return yield* problem
        const outcome = yield* commits
          .run({
            _tag: tag,
            organization: booking.organization,
            amount: booking.amount,
            note: booking.note ?? "",
          })
          // Carries no version, so it cannot be stale.
          .pipe(Effect.catchTag("StaleSettings", Effect.die))
        if (outcome._tag === "Posted") return outcome.balance
        if (outcome._tag === "TooMuch") {
          const most = Money.format(outcome.most)
          return yield* new InvalidRequest({ details: { amount: [`must be at most ${most}`] } })
        }
        return yield* new InsufficientBalance({
          required: outcome.required,
          available: outcome.available,
        })
      })

      const balanceOf = (
        organization: Organization,
      ): Effect.Effect<Balance, OrganizationNotFound | StaleSettings | StoreUnavailable> =>
        Effect.flatMap(
          store.account(organization.id),
          (account): Effect.Effect<Balance, OrganizationNotFound | StaleSettings> => {
            if (account === undefined) return Effect.fail(new OrganizationNotFound())
            if (account.version !== organization.version) return Effect.fail(new StaleSettings())
            return Effect.succeed({ balance: account.balance, held: account.held, currency })
          },
        )

      return Accounts.of({
        balance: (caller) =>
          traced(
            "Accounts.balance",
            { "countersign.organization": caller.organization },
            access.serve(caller, balanceOf),
          ),
        topUp: Effect.fn("Accounts.topUp")((booking) =>
          booked(booking, "TopUp").pipe(Effect.catchTag("InsufficientBalance", Effect.die)),
        ),
        adjust: Effect.fn("Accounts.adjust")((booking) => booked(booking, "Adjust")),
        entries: Effect.fn("Accounts.entries")(({ after = 0, limit = 100, organization }) =>
          store.entries(organization, after, Math.min(Math.max(1, limit), 1_000)),
        ),
      })
    }),
  )
}

const bookingProblem = (booking: Booking, tag: "TopUp" | "Adjust"): InvalidRequest | undefined => {
  const note = booking.note ?? ""
  if (tag === "TopUp" ? booking.amount <= 0 : booking.amount === 0) {
    return new InvalidRequest({
      details: { amount: [tag === "TopUp" ? "must be positive" : "must not be zero"] },
    })
  }
  return note.length > maxNoteLength || note.includes("\u0000") || !note.isWellFormed()
    ? new InvalidRequest({
        details: { note: [`must be text of at most ${maxNoteLength} characters`] },
      })
    : undefined
}
