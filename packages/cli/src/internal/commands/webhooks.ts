import { showing } from "@countersign/core/api/Operation"
import type * as Data from "@countersign/core/api/types/webhooks"
import { webhooks as rows } from "@countersign/core/api/webhooks"
import { WebhookNotFound } from "@countersign/core/domain/errors/Errors"
import * as EventTable from "@countersign/core/domain/events/EventTable"
import * as Durations from "@countersign/core/domain/values/Duration"
import { WebhookId } from "@countersign/core/domain/values/Ids"
import { Audit } from "@countersign/core/services/Audit"
import { rotationMillis, Webhooks } from "@countersign/core/services/Webhooks"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Redacted from "effect/Redacted"
import { confirm, group, organizationCommand } from "../command.ts"
import { CommandFailed } from "../failures.ts"
import { argument, duration, isGiven, many, optionally, sequence, text } from "../flags.ts"
import { type Column, printDone, printRecord, printTable } from "../output.ts"

const one = { id: Argument.map(argument("id", "The id of the webhook"), WebhookId) }

const types = many(
  "type",
  EventTable.types,
  "A type of event that is sent; repeatable. Default: all",
)

const description = text("description", "For people, at most 200 characters")

const after = sequence("after", "The last event that is not sent")

const stateOf = ({ isEnabled, status, troubledSince }: Data.Webhook): string => {
  if (!isEnabled) return "disabled"
  return status === "active" && troubledSince !== null ? "retrying" : status
}

const settings: ReadonlyArray<Column<Data.Webhook>> = [
  "id",
  ["URL", "url"],
  "description",
  ["events", ({ types }) => types?.join(", ") ?? "all"],
  ["state", stateOf],
  ["attempted up to", "position"],
  ["waiting for a retry", "retrying"],
  ["slow until", "slowUntil"],
  "lastError",
]

const list = organizationCommand("list", rows.list, {}, function* (organization) {
  const found = yield* Webhooks.use((_) => _.list({ organization }))
  yield* printTable<Data.Webhook>(
    showing(rows.list)(found),
    ["id", "url", ["state", stateOf], "position", "retrying", "troubledSince", "lastError"],
    `${organization} has no webhooks.`,
  )
})

const attempts = organizationCommand(
  "attempts",
  "List the newest requests to a webhook, and its answers",
  one,
  function* (organization, { id }) {
    const found = yield* Webhooks.use((_) => _.list({ organization }))
    const webhook = found.find((one) => one.id === id)
    if (webhook === undefined) return yield* new WebhookNotFound()
    yield* printTable<Data.WebhookAttempt>(
      showing(rows.update)(webhook).attempts,
      [["time", "at"], "sequence", "status", ["ms", "millis"], "error", "answer"],
      `There was no request to ${id} yet.`,
    )
  },
)

const secretIsShownOnce = "The secret is shown only this once. Store it now."

const create = organizationCommand(
  "create",
  rows.create,
  { url: argument("url", "An absolute URL with https"), description, types, after },
  function* (organization, input) {
    const created = yield* Webhooks.use((_) => _.create({ organization, ...input }))
    yield* printRecord<Data.CreatedWebhook>(
      showing(rows.create)(created),
      [...settings, "secret"],
      secretIsShownOnce,
    )
  },
)

const update = organizationCommand(
  "update",
  rows.update,
  {
    ...one,
    url: text("url", "An absolute URL with https"),
    description,
    types,
    allTypes: isGiven("all-types", "Send events of all types"),
    isEnabled: optionally(Flag.Boolean("enabled").pipe(Flag.withDescription("Deliver events"))),
  },
  function* (organization, { allTypes, types, ...input }) {
    const changes = { ...input, types: allTypes ? null : types }
    const webhook = yield* Webhooks.use((_) => _.update({ organization, ...changes }))
    yield* printRecord(showing(rows.update)(webhook), settings)
  },
)

const rotateSecret = organizationCommand(
  "rotate-secret",
  "Make a new secret and print it once. The current one also signs for a while",
  {
    ...one,
    grace: duration("grace", rotationMillis).pipe(
      Flag.withDescription('How long both secrets sign, at most 30 days: "1 day"'),
      Flag.withDefault(86_400_000),
    ),
  },
  function* (organization, { grace, id }) {
    const left = Durations.format(grace)
    yield* confirm(`Make a new secret for ${id}? The current one ends in ${left}.`)
    const rotated = yield* Webhooks.use((_) => _.rotateSecret({ organization, id, grace: left }))
    const secret = Redacted.value(rotated.secret)
    yield* printRecord({ secret }, [["id", () => id], "secret"], secretIsShownOnce)
  },
)

const replay = organizationCommand(
  "replay",
  rows.replay,
  { ...one, after },
  function* (organization, input) {
    const replayed = yield* Webhooks.use((_) => _.replay({ organization, ...input }))
    yield* printDone(replayed, `The events after ${replayed.after} are delivered again.`)
  },
)

const test = organizationCommand("test", rows.sendTest, one, function* (organization, { id }) {
  const result = yield* Webhooks.use((_) => _.sendTest({ organization, id }))
  yield* Audit.use((_) => _.record({ organization, action: "webhook.tested", target: id }))
  yield* printDone(result, result.isDelivered ? "The receiver has accepted it." : "It failed.")
  if (!result.isDelivered) {
    return yield* new CommandFailed({ message: `Not delivered: ${result.error ?? "unknown"}` })
  }
})

const remove = organizationCommand("remove", rows.remove, one, function* (organization, { id }) {
  yield* confirm(`Remove the webhook ${id}? Its secret is lost.`)
  yield* Webhooks.use((_) => _.remove({ organization, id }))
  yield* printDone({ id }, `The webhook ${id} is removed.`)
})

export const webhook = group(
  "webhook",
  [list, attempts, create, update, rotateSecret, replay, test, remove],
  "Webhooks",
)
