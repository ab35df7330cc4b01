import * as Result from "effect/Result"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Rows from "@countersign/core/api/account"
import { showing } from "@countersign/core/api/Operation"
import type { LedgerEntry } from "@countersign/core/api/types/account"
import * as Input from "@countersign/core/api/Input"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Store } from "@countersign/core/ports/Store"
import { Accounts, type Booked } from "@countersign/core/services/Accounts"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { argument, isGiven, limit, optionally, sequence, time } from "../flags.ts"
import { print, printTable } from "../output.ts"
import { formatTime, record, table } from "../table.ts"

const booking = {
  amount: argument("amount", "A decimal, such as 100 or 0.50"),
  note: Flag.String("note").pipe(Flag.withDescription("The reason, at most 200 characters")),
  paymentId: Flag.String("payment-id").pipe(
    Flag.withDescription("Your own id of the payment. A repeat with the same id books nothing"),
  ),
}

/** What both commands read. The reason must not be empty. */
const read = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { amount, note, paymentId }: Command.Command.Config.Infer<typeof booking>,
) {
  const reason = note.trim()
  return {
    organization,
    amount: yield* Input.field("amount", Result.merge(Money.fromDecimal(amount))),
    note: yield* Input.field("note", reason === "" ? FieldProblem.make("empty", {}) : reason),
    paymentId,
  }
})

const printPosting = (organization: string, result: Booked) => {
  const booked = showing(Rows.account.topUp)(result)
  const { actor, amount, at, paymentId } = booked.entry
  return print({ organization, ...booked }, (zone) =>
    [
      ...(booked.isRepeat
        ? [
            `The payment ${paymentId} was booked before: ${amount} on ${formatTime(at, zone)}, by ${actor}.`,
            "Nothing was added.",
          ]
        : []),
      `The balance of ${organization} is ${booked.balance}.`,
    ].join(" "),
  )
}

export const topUp = organizationCommand(
  "top-up",
  "Add to the balance of an organization",
  booking,
  Effect.fnUntraced(function* (organization, input) {
    const accounts = yield* Accounts
    yield* printPosting(organization, yield* accounts.topUp(yield* read(organization, input)))
  }),
)

export const adjust = organizationCommand(
  "adjust",
  "Correct the balance of an organization by an amount, which may be negative",
  {
    ...booking,
    amount: argument("amount", "A decimal. Write -- before a negative one: adjust -- -5"),
  },
  Effect.fnUntraced(function* (organization, input) {
    const accounts = yield* Accounts
    const adjustment = yield* read(organization, input)
    if (adjustment.amount < 0) {
      yield* confirm(
        `Take ${Money.format(Money.fromUnits(-adjustment.amount))} from ${organization}?`,
      )
    }
    yield* printPosting(organization, yield* accounts.adjust(adjustment))
  }),
)

export const ledger = organizationCommand(
  "ledger",
  "List entries of the ledger, oldest first: the newest, or those after a sequence",
  {
    after: sequence("after", "Default: so that the newest entries are listed"),
    limit: limit("Entries", 1_000, 50),
  },
  Effect.fnUntraced(function* (organization, { after, limit }) {
    const accounts = yield* Accounts
    const store = yield* Store
    const account = yield* store.account(organization)
    if (account === undefined) return yield* new OrganizationNotFound()
    const entries = yield* accounts.entries({
      organization,
      after: after ?? Math.max(0, account.entries - limit),
      limit,
    })
    yield* printTable<LedgerEntry>(
      showing(Rows.account.entries)(entries),
      [
        "sequence",
        "at",
        "kind",
        "amount",
        "balance",
        "held",
        { title: "message", of: ({ messageSequence }) => messageSequence },
        { title: "payment", of: ({ paymentId }) => paymentId },
        { title: "by", of: ({ actor }) => actor },
        "note",
      ],
      { empty: "There are no entries." },
    )
  }),
)

export const statement = organizationCommand(
  "statement",
  "Show the balances and the entries of a period",
  {
    from: optionally(
      time("from", "Start of the period, inclusive. Default: the first of this month"),
    ),
    to: optionally(time("to", "End of the period, exclusive. Default: now")),
    csv: isGiven("csv", "Print CSV (RFC 4180), with times in UTC"),
  },
  Effect.fnUntraced(function* (organization, { csv, from, to }) {
    const accounts = yield* Accounts
    const store = yield* Store
    if ((yield* store.account(organization)) === undefined) return yield* new OrganizationNotFound()
    const now = yield* DateTime.nowInCurrentZone
    const found = yield* accounts.statement({
      organization,
      from: from ?? DateTime.toEpochMillis(DateTime.startOf(now, "month")),
      to: to ?? DateTime.toEpochMillis(now),
    })
    if (csv) return yield* Console.log(Statement.toCsv(found, found.currency).trimEnd())
    const statement = showing(Rows.account.statement)(found)
    const { closing, entries, opening } = statement
    yield* print(statement, (zone) =>
      [
        record({ From: statement.from, To: statement.to }, zone),
        "",
        table(
          [
            { title: "item", of: ([item]) => item },
            { title: "entries", of: ([, { count }]) => count ?? null },
            { title: "amount", of: ([, { amount }]) => amount },
            { title: "held", of: ([, { held }]) => held ?? null },
          ],
          [
            line("opening", { amount: opening.balance, held: opening.held }),
            ...Object.entries(entries).map(([kind, sum]) => line(kind, sum)),
            line("closing", { amount: closing.balance, held: closing.held }),
          ],
          zone,
        ),
      ].join("\n"),
    )
  }),
)

interface Sum {
  readonly amount: string
  readonly count?: number
  readonly held?: string
}

const line = (item: string, sum: Sum): readonly [string, Sum] => [item, sum]
