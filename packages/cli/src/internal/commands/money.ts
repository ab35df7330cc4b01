import * as Result from "effect/Result"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { account as rows } from "@countersign/core/api/account"
import { showing } from "@countersign/core/api/Operation"
import type { LedgerEntry } from "@countersign/core/api/types/account"
import * as Input from "@countersign/core/api/Input"
import { OrganizationNotFound } from "@countersign/core/domain/errors/Errors"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Statement from "@countersign/core/domain/money/Statement"
import { Store } from "@countersign/core/ports/Store"
import { Accounts, type Posting } from "@countersign/core/services/Accounts"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { confirm, organizationCommand } from "../command.ts"
import { argument, isGiven, limit, optionally, sequence, time } from "../flags.ts"
import { formatTime, print, printTable, record, table } from "../output.ts"

const booking = {
  amount: argument("amount", "A decimal, such as 100 or 0.50"),
  note: Flag.String("note").pipe(Flag.withDescription("The reason, at most 200 characters")),
  paymentId: Flag.String("payment-id").pipe(
    Flag.withDescription("Your own id of the payment. A repeat with the same id books nothing"),
  ),
}

/** Reads the input of both commands. The reason must not be empty. */
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

const printPosting = (organization: string, result: Posting) => {
  const booked = showing(rows.topUp)(result)
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
  rows.topUp,
  booking,
  function* (organization, input) {
    const payment = yield* read(organization, input)
    yield* printPosting(organization, yield* Accounts.use((_) => _.topUp(payment)))
  },
)

export const adjust = organizationCommand(
  "adjust",
  rows.adjust,
  {
    ...booking,
    amount: argument("amount", "A decimal. Write -- before a negative one: adjust -- -5"),
  },
  function* (organization, input) {
    const adjustment = yield* read(organization, input)
    if (adjustment.amount < 0) {
      const taken = Money.format(Money.fromUnits(-adjustment.amount))
      yield* confirm(`Take ${taken} from ${organization}?`)
    }
    yield* printPosting(organization, yield* Accounts.use((_) => _.adjust(adjustment)))
  },
)

/** Fails if there is no such organization. */
const accountOf = Effect.fnUntraced(function* (organization: OrganizationId) {
  const store = yield* Store
  return (yield* store.account(organization)) ?? (yield* new OrganizationNotFound())
})

export const ledger = organizationCommand(
  "ledger",
  "List entries of the ledger, oldest first: the newest, or those after a sequence",
  {
    after: sequence("after", "Default: so that the newest entries are listed"),
    limit: limit("Entries", 1_000, 50),
  },
  function* (organization, { after: given, limit }) {
    const account = yield* accountOf(organization)
    const after = given ?? Math.max(0, account.entries - limit)
    const entries = yield* Accounts.use((_) => _.entries({ organization, after, limit }))
    yield* printTable<LedgerEntry>(
      showing(rows.entries)(entries),
      [
        "sequence",
        "at",
        "kind",
        "amount",
        "balance",
        "held",
        ["message", "messageSequence"],
        "paymentId",
        ["by", "actor"],
        "note",
      ],
      "There are no entries.",
    )
  },
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
  function* (organization, { csv, from, to }) {
    yield* accountOf(organization)
    const now = yield* DateTime.nowInCurrentZone
    const period = {
      from: from ?? DateTime.toEpochMillis(DateTime.startOf(now, "month")),
      to: to ?? DateTime.toEpochMillis(now),
    }
    const found = yield* Accounts.use((_) => _.statement({ organization, ...period }))
    if (csv) return yield* Console.log(Statement.toCsv(found, found.currency).trimEnd())
    const statement = showing(rows.statement)(found)
    const { closing, entries, opening } = statement
    const lines = [
      { item: "opening", count: null, amount: opening.balance, held: opening.held },
      ...Object.entries(entries).map(([item, sum]) => ({ item, ...sum, held: null })),
      { item: "closing", count: null, amount: closing.balance, held: closing.held },
    ]
    yield* print(statement, (zone) =>
      [
        record(["from", "to"], statement, zone),
        "",
        table(["item", ["entries", "count"], "amount", "held"], lines, zone),
      ].join("\n"),
    )
  },
)
