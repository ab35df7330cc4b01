/** The operations on the balance of an organization. */
import * as Schema from "effect/Schema"
import * as Domain from "../domain/money/Statement.ts"
import * as Transactions from "../domain/messages/Transaction.ts"
import * as Money from "../domain/values/Money.ts"
import * as Fields from "./Fields.ts"
import { get, operation, post } from "./Operation.ts"

const { field, money, optional, optionalText, record, text, textOrNull, time } = Fields

const { Int, String } = Schema

const path = "/organizations/:organization"

const balance = record("Balance", 'Decimals, as in `"0.50"`.', {
  balance: field(money, "The available balance."),
  held: field(money, "The amount held for messages with an open outcome."),
  currency: text("ISO 4217."),
})

const kind = Schema.Literals(["top-up", "adjustment", "hold", "capture", "release"])

const entry = record("LedgerEntry", "One line of the ledger.", {
  sequence: field(Int, "The position in the ledger, from 1 without gaps."),
  kind,
  amount: money,
  balance: field(money, "The balance after this entry."),
  held: money,
  messageSequence: field(Schema.NullOr(Int), "The log position of the message that is paid for."),
  note: textOrNull,
  paymentId: field(textOrNull, "The `paymentId` of the booking; `null` if it had none."),
  actor: textOrNull.annotate({ description: "Who booked it. Null for messages." }),
  at: time,
})

const posting = record("Posting", "The balance after a booking, and the entry that records it.", {
  ...balance.fields,
  entry,
  isRepeat: Schema.Boolean.annotate({
    description: "Whether the payment was booked before, by the entry. Then nothing has changed.",
  }),
})

const note = "The reason, in your own words; at most 200 characters."

const paymentId = optionalText(
  "Your own id of the payment: 1 to 200 printable characters that do not begin with `countersign_`. An organization books a payment id once, on any node and however often the call is repeated. A repeat changes nothing and returns the current balance. The same id with another amount, or for an adjustment instead of a top-up, is an invalid request. Without a `paymentId`, each call is a booking, with one exception. If a call fails because the database is unavailable, the same process recognizes a repeat with the same amount and note within ten minutes.",
)

const bookingOf = <N extends Schema.Top>(note: N) =>
  Fields.input("Booking", "A change of the balance.", {
    amount: field(money, 'A decimal, as in `"100"` or `"0.50"`.'),
    note,
    paymentId,
  })

/** Over HTTP, money needs a reason and a payment id. */
const extra = { note: String, paymentId: String }

const example = { amount: "500", note: "invoice 7", paymentId: "bkash-7" }

const period = Fields.input("Period", "A period of an organization.", Fields.period)

const balances = Schema.Struct({ balance: money, held: money })

const sum = Schema.Struct({
  count: Int,
  amount: Fields.view(
    String.annotate({ description: "A decimal.", examples: ["99.50"] }),
    (amount: bigint) => Money.format(amount),
  ),
})

export const account = {
  balance: operation({
    summary: "Read the balance",
    meaning: "The available and the held balance.",
    input: Fields.ofOrganization,
    output: balance,
    admin: get("account.balance", "money", `${path}/balance`),
  }),
  topUp: operation({
    summary: "Add money",
    meaning: "A positive amount. A payment id is booked once, however often sent.",
    input: bookingOf(optionalText(note)),
    output: posting,
    errors: ["invalid_request"],
    admin: post("account.topUp", "finance", `${path}/top-ups`, {
      isOperatorOnly: true,
      extra,
      example,
    }),
  }),
  adjust: operation({
    summary: "Correct the balance",
    meaning: "The amount may be negative. The balance cannot become negative.",
    input: bookingOf(text(note)).annotate({ named: "Adjustment" }),
    output: posting,
    errors: ["invalid_request", "insufficient_balance"],
    admin: post("account.adjust", "finance", `${path}/adjustments`, {
      isOperatorOnly: true,
      extra,
      example: { ...example, amount: "-1.50", note: "fee" },
    }),
  }),
  entries: operation({
    summary: "Read ledger entries in order",
    meaning: "Those with a `sequence` above `after`; at most 1,000 at a time.",
    input: Fields.input("ListEntries", "Selects a part of the ledger.", {
      after: optional(Int, "The `sequence` of the last entry that you have.", "0"),
      limit: Fields.limit,
    }),
    output: Schema.Array(entry),
    listing: { from: "after", by: "sequence", isStored: true },
  }),
  statement: operation({
    summary: "Read a statement",
    meaning:
      "The balances before and after a period, and its ledger entries by kind. `to` is exclusive. A period with more than 50,000,000 entries is refused.",
    input: period,
    output: record(
      "Statement",
      "A statement of an account. The opening balances and the entries give the closing balances.",
      {
        from: time,
        to: time,
        currency: text("ISO 4217."),
        opening: field(balances, "Before the period."),
        entries: field(
          Schema.Struct({ "top-up": sum, adjustment: sum, hold: sum, capture: sum, release: sum }),
          "Number of entries of each kind, and the sum of their amounts.",
        ),
        closing: field(balances, "After the period."),
      },
    ),
    errors: ["invalid_request"],
    admin: get("account.statement", "money", `${path}/statement`),
  }),
  statementCsv: operation({
    summary: "Read a statement as CSV",
    meaning: "A line for each balance and each kind of entry.",
    input: period,
    output: Fields.view(
      String,
      (statement: Domain.Statement & { readonly currency: string }): string =>
        Domain.toCsv(statement, statement.currency),
    ),
    errors: ["invalid_request"],
  }),
}

/** Selects entries of the ledger. */
export const entryFilter = {
  kinds: Schema.optional(Schema.Array(kind).annotate({ description: "Any of these." })),
  from: optional(Fields.period.from, "Inclusive."),
  to: optional(Fields.period.to, "Exclusive."),
}

const movement = record("Movement", "A booking, or messages with all that was booked for them.", {
  sequence: field(
    Int,
    "The position of its first entry in the ledger; of several messages, that of the newest one.",
  ),
  at: time,
  kind: Schema.Literals(Transactions.kinds),
  change: field(
    money,
    "What it has done to the available balance so far, with a sign: `0.00` for a message that was refunded.",
  ),
  balance: field(
    money,
    "The available balance after its first entry. A later refund is part of the message, and of the balances that follow it.",
  ),
  state: field(
    Schema.NullOr(Schema.Literals(Transactions.states)),
    "What became of the price of a message; `null` for bookings, for messages that were removed from the log, and for messages of several states.",
  ),
  batchId: field(textOrNull, "The batch of the messages."),
  messages: field(Int, "Number of messages: 0 for bookings, more than 1 for a batch."),
  messageId: field(
    textOrNull,
    "`null` for bookings, for several messages, and for messages that were removed.",
  ),
  messageSequence: field(Schema.NullOr(Int), "The log position of the message."),
  phoneNumber: field(textOrNull, "The masked phone number of the message."),
  note: textOrNull,
  paymentId: textOrNull,
  actor: textOrNull,
})

/** Selects transactions. */
export const movementFilter = {
  ...entryFilter,
  kinds: Schema.optional(
    Schema.Array(Schema.Literals(Transactions.kinds)).annotate({ description: "Any of these." }),
  ),
}

/** The operations of the admin API that read the ledger from its end. */
export const ledger = {
  movements: operation({
    summary: "Read the transactions",
    meaning:
      "Newest first. The hold of a message, its charge and its refund are one transaction, and so are the messages of a batch in a page. A page examines 1,000 entries, and may be short or empty before the last one.",
    input: Fields.input("ListMovements", "", {
      ...movementFilter,
      batchId: optionalText("Only the messages of a batch, one by one."),
      before: Schema.optional(Int),
      limit: Fields.limit,
    }),
    output: record("MovementPage", "A page of transactions, newest first.", {
      movements: Schema.Array(movement).annotate({ description: "Newest first." }),
      next: Fields.orNull(Int).pipe(
        Schema.annotateEncoded({ description: "`before` of the next page." }),
      ),
    }),
    errors: ["invalid_request"],
    admin: get("account.movements", "read", `${path}/movements`),
  }),
  balances: operation({
    summary: "Read the balances of days",
    meaning: "By time; at most 400 days.",
    input: Fields.input("ReadBalances", "", { ...Fields.period, zone: Fields.zone }),
    output: Schema.Array(
      record("DayBalance", "The balances at the end of a day.", {
        at: field(time, "The start of the day."),
        ...balances.fields,
      }),
    ),
    errors: ["invalid_request"],
    admin: get("account.balances", "read", `${path}/balances`, {
      list: "balances",
      pageName: "DayBalances",
    }),
  }),
  newestEntries: operation({
    summary: "Read the ledger",
    meaning:
      "Newest first. A page with `kinds` examines 1,000 entries, and may be short or empty before the last one.",
    input: Fields.input("ListNewestEntries", "", {
      ...entryFilter,
      before: Schema.optional(Int),
      limit: Fields.limit,
    }),
    output: record("Ledger", "A page of the ledger, newest first.", {
      entries: Schema.Array(entry).annotate({ description: "Newest first." }),
      next: Fields.orNull(Int).pipe(
        Schema.annotateEncoded({ description: "`before` of the next page." }),
      ),
    }),
    errors: ["invalid_request"],
    admin: get("account.ledger", "money", `${path}/ledger`),
  }),
}
