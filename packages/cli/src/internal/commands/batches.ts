/** Batches: messages of one text to the recipients of a file. A node of the host sends them. */
import { batches as rows, estimated, sentMany } from "@countersign/core/api/batches"
import { showing } from "@countersign/core/api/Operation"
import { messageClasses } from "@countersign/core/domain/values/MessageClass"
import * as Batch from "@countersign/core/domain/outbox/Batch"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { channels } from "@countersign/core/domain/values/Channel"
import { Audit } from "@countersign/core/services/Audit"
import { Batches, type SendManyInput } from "@countersign/core/services/Batches"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import { resolve } from "node:path"
import { confirm, group, organizationCommand } from "../command.ts"
import * as Environment from "../environment.ts"
import { UsageError } from "../failures.ts"
import {
  argument,
  integer,
  isGiven,
  limit,
  numberReader,
  optionally,
  text,
  time,
} from "../flags.ts"
import { type Column, printPage, printRecord } from "../output.ts"
import { withProgress } from "../progress.ts"
import * as Csv from "../recipientsCsv.ts"

type Shown = (typeof rows)["get"]["output"]["Encoded"]

const fields = {
  file: Flag.String("file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "CSV with a line of titles. The column phone_number, or to, has the numbers, text the texts; the others are values",
    ),
  ),
  text: text("text", "The text. {name} stands for the value of the column name"),
  sender: text("sender", "A sender's id, an approved name or a number"),
  channel: optionally(
    Flag.Literals("channel", channels).pipe(Flag.withDescription("Default: sms")),
  ),
  class: optionally(
    Flag.Literals("class", messageClasses).pipe(Flag.withDescription("Default: transactional")),
  ),
  pace: optionally(integer("pace", "Messages a second", Batch.paces.min, Batch.paces.max)),
  sendAt: optionally(time("send-at", "When it is sent at the earliest")),
  expiresAt: optionally(time("expires-at", "When messages that still wait are dropped")),
  idempotencyKey: text("key", "Your own key of the batch. A repeat with it goes on with the same"),
  refused: text("refused", "Where the rows go that are not valid, with the reasons", "FILE"),
  isDryRun: isGiven("dry-run", "Only tell what would be sent, and its price"),
}

/** Shows how many rows were read, while work goes on. */
const counting = <A, E, R>(
  label: string,
  progress: () => { readonly done: number; readonly total?: number | undefined },
  work: Effect.Effect<A, E, R>,
) =>
  withProgress(label, ({ show }) =>
    Effect.raceFirst(
      work,
      Effect.forever(
        Effect.andThen(
          Effect.suspend(() => show({ ...progress(), unit: "rows" })),
          Effect.sleep("100 millis"),
        ),
      ),
    ),
  )

export const sendMany = organizationCommand(
  "send-many",
  "Send a text to the recipients of a CSV file. A node of the host sends the messages",
  fields,
  function* (organization, { file, isDryRun, refused, ...input }) {
    const service = yield* Batches
    const readNumber = yield* numberReader
    if (refused !== undefined && resolve(refused) === resolve(file)) {
      return yield* new UsageError({
        message: "--refused must name another file than --file, which it would replace.",
      })
    }
    let done = 0
    let malformed = 0
    const lines = new WeakMap<object, number>()
    /** Reads the file. An error in it ends the command before anything is written. */
    const reading = (note: (row: Csv.RefusedRow) => void) => {
      done = 0
      malformed = 0
      const counted = async function* () {
        const recipients = Csv.readRecipients(file, readNumber, lines, (row) => {
          malformed += 1
          note(row)
        })
        for await (const recipient of recipients) {
          done += 1
          yield recipient
        }
      }
      const given: SendManyInput = {
        organization,
        ...input,
        recipients: counted(),
        onRefused: ({ phoneNumber, reason }, recipient) => {
          const line =
            typeof recipient === "object" && recipient !== null ? lines.get(recipient) : 0
          note({ line: line ?? 0, phoneNumber, reason })
        },
      }
      return given
    }
    const found = yield* Effect.scoped(
      Effect.gen(function* () {
        const write = refused === undefined ? () => {} : yield* Csv.refusedFile(refused)
        return yield* counting("Reading", () => ({ done }), service.estimate(reading(write)))
      }),
    )
    const total = done
    const prices: Prices = (yield* Environment.hasPrices) ? "yours" : "assumed"
    const estimate = { ...showing({ output: estimated })(found), malformed, prices }
    if (isDryRun) return yield* printEstimate(estimate)
    const { balance, price } = estimate.estimate
    yield* confirm(
      `Send ${found.recipients} messages for ${price}${prices === "assumed" ? `, by the prices that the engine has without ${Environment.variables.prices}` : ""}? The balance is ${balance}; ${found.refused + malformed} rows are refused.`,
    )
    const sent = yield* counting(
      "Writing",
      () => ({ done, total }),
      Effect.suspend(() => service.sendMany(reading(() => {}))),
    )
    const { batchId, ...written } = showing({ output: sentMany })(sent)
    yield* recorded(organization, batchId, "sent")
    yield* printRecord<Estimate & { readonly batchId: string }>(
      { batchId, malformed, prices, ...written, ...written.estimate },
      [["batch", "batchId"], ...estimateColumns],
    )
  },
)

/** The source of the prices of a command: the environment, or the defaults of the engine. */
type Prices = "yours" | "assumed"

type Estimate = (typeof estimated)["Encoded"]["estimate"] &
  Pick<(typeof estimated)["Encoded"], "recipients" | "duplicates" | "refused"> & {
    readonly malformed: number
    readonly prices: Prices
  }

const estimateColumns: ReadonlyArray<Column<Estimate>> = [
  ["messages", "recipients"],
  "duplicates",
  "refused",
  "malformed",
  "segments",
  "price",
  [
    "prices",
    ({ prices }) =>
      prices === "yours"
        ? `of ${Environment.variables.prices}`
        : `assumed, because ${Environment.variables.prices} is not set`,
  ],
  "balance",
]

const printEstimate = (
  found: (typeof estimated)["Encoded"] & Pick<Estimate, "malformed" | "prices">,
) => printRecord({ ...found, ...found.estimate }, [...estimateColumns, ["covered", "isCovered"]])

const recorded = (organization: OrganizationId, target: string, action: string) =>
  Audit.use((_) => _.record({ organization, action: `batch.${action}`, target }))

const columns: ReadonlyArray<Column<Shown>> = [
  ["id", "id"],
  "createdAt",
  "status",
  ["reason", "pausedReason"],
  ["messages", "recipients"],
  "queued",
  "spent",
  ["seconds left", "secondsLeft"],
]

const list = organizationCommand(
  "list",
  rows.list,
  {
    cursor: text("cursor", "The end of the previous page"),
    limit: limit("Rows in the page", 200, 50),
  },
  function* (organization, input) {
    const page = showing(rows.list)(yield* Batches.use((_) => _.list({ organization, ...input })))
    yield* printPage(page, page.batches, columns, "There is no batch.")
  },
)

const ref = { id: argument("id", "The id of the batch") }

const print = (batch: Shown) =>
  printRecord(batch, [
    ...columns,
    "text",
    "class",
    "channel",
    "sender",
    "pace",
    "duplicates",
    "refused",
    "segments",
    "estimate",
    "startedAt",
    "endedAt",
    [
      "outcomes",
      ({ outcomes }) => outcomes.map(({ count, outcome }) => `${outcome} ${count}`).join(", "),
    ],
  ])

const get = organizationCommand("get", rows.get, ref, function* (organization, { id }) {
  yield* print(showing(rows.get)(yield* Batches.use((_) => _.get({ organization, id }))))
})

const changing = <const Name extends "pause" | "resume" | "cancel">(name: Name, past: string) =>
  organizationCommand(name, rows[name], ref, function* (organization, { id }) {
    if (name === "cancel") yield* confirm(`Cancel the batch ${id}? Messages that wait are dropped.`)
    const changed = yield* Batches.use((_) => _[name]({ organization, id }))
    yield* recorded(organization, id, past)
    yield* print(showing(rows.get)(changed))
  })

export const batches = group(
  "batches",
  [
    list,
    get,
    changing("pause", "paused"),
    changing("resume", "resumed"),
    changing("cancel", "cancelled"),
  ],
  "Batches of messages",
)
