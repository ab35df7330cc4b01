import * as Rows from "@countersign/core/api/account"
import { showing } from "@countersign/core/api/Operation"
import type { LedgerEntry } from "@countersign/core/api/types/account"
import * as Input from "@countersign/core/codec/InputReaders"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import * as Money from "@countersign/core/domain/values/Money"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Store } from "@countersign/core/ports/Store"
import { Accounts, type Booked } from "@countersign/core/services/Accounts"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { print, printTable } from "../output.ts"
import { limit, optionally } from "../searches.ts"
import { organization } from "../settings.ts"
import { formatTime, record, table } from "../table.ts"
import { time } from "../times.ts"

const booking = {
  organization,
  amount: Argument.String("amount").pipe(
    Argument.withDescription("A decimal, such as 100 or 0.50"),
  ),
  note: Flag.String("note").pipe(Flag.withDescription("The reason, at most 200 characters")),
  paymentId: Flag.String("payment-id").pipe(
    Flag.withDescription("Your own id of the payment. A repeat with the same id books nothing"),
  ),
}

/** What both commands read. The reason must not be empty. */
const read = Effect.fnUntraced(function* (input: {
  readonly organization: string
  readonly amount: string
  readonly note: string
  readonly paymentId: string
}) {
  return {
    organization: yield* Input.organizationOf(input),
    amount: yield* Input.money(input.amount),
    note: yield* Input.field("note", Input.id(input.note.trim())),
    paymentId: input.paymentId,
  }
})

const printBooked = (organization: string, result: Booked) => {
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

export const topUp = engineCommand(
  "top-up",
  "Add to the balance of an organization",
  booking,
  Effect.fnUntraced(function* (input) {
    const accounts = yield* Accounts
    yield* printBooked(input.organization, yield* accounts.topUp(yield* read(input)))
  }),
)

export const adjust = engineCommand(
  "adjust",
  "Correct the balance of an organization by an amount, which may be negative",
  {
    ...booking,
    amount: Argument.String("amount").pipe(
      Argument.withDescription("A decimal. Write -- before a negative one: adjust -- -5"),
    ),
  },
  Effect.fnUntraced(function* (input) {
    const accounts = yield* Accounts
    const adjustment = yield* read(input)
    if (adjustment.amount < 0) {
      yield* confirm(
        `Take ${Money.format(Money.fromUnits(-adjustment.amount))} from ${input.organization}?`,
      )
    }
    yield* printBooked(input.organization, yield* accounts.adjust(adjustment))
  }),
)

export const ledger = engineCommand(
  "ledger",
  "List entries of the ledger, oldest first: the newest, or those after a sequence",
  {
    organization,
    after: Flag.Int("after").pipe(
      Flag.withMetavar("SEQUENCE"),
      Flag.withDescription("Default: so that the newest entries are listed"),
      Flag.optional,
    ),
    limit: limit("Entries", 1_000, 50),
  },
  Effect.fnUntraced(function* ({ after, limit, ...input }) {
    const accounts = yield* Accounts
    const store = yield* Store
    const organization = yield* Input.organizationOf(input)
    const account = yield* store.account(organization)
    if (account === undefined) return yield* new OrganizationNotFound()
    const entries = yield* accounts.entries({
      organization,
      after: Option.getOrElse(after, () => Math.max(0, account.entries - limit)),
      limit,
    })
    yield* printTable<LedgerEntry>(
      showing(Rows.account.entries)(entries),
      [
        { title: "sequence", of: ({ sequence }) => sequence, isRight: true },
        { title: "at", of: ({ at }) => at },
        { title: "kind", of: ({ kind }) => kind },
        { title: "amount", of: ({ amount }) => amount, isRight: true },
        { title: "balance", of: ({ balance }) => balance, isRight: true },
        { title: "held", of: ({ held }) => held, isRight: true },
        { title: "message", of: ({ messageSequence }) => messageSequence, isRight: true },
        { title: "payment", of: ({ paymentId }) => paymentId },
        { title: "by", of: ({ actor }) => actor },
        { title: "note", of: ({ note }) => note },
      ],
      { empty: "There are no entries." },
    )
  }),
)

export const statement = engineCommand(
  "statement",
  "Show the balances and the entries of a period",
  {
    organization,
    from: optionally(
      time("from", "Start of the period, inclusive. Default: the first of this month"),
    ),
    to: optionally(time("to", "End of the period, exclusive. Default: now")),
    csv: Flag.Boolean("csv").pipe(
      Flag.withDescription("Print CSV (RFC 4180), with times in UTC"),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ csv, from, to, ...input }) {
    const accounts = yield* Accounts
    const store = yield* Store
    const organization = yield* Input.organizationOf(input)
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
            { title: "entries", of: ([, { count }]) => count ?? null, isRight: true },
            { title: "amount", of: ([, { amount }]) => amount, isRight: true },
            { title: "held", of: ([, { held }]) => held ?? null, isRight: true },
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
