import { showing } from "@countersign/core/api/Operation"
import type * as Data from "@countersign/core/api/types/webhooks"
import * as Rows from "@countersign/core/api/webhooks"
import { WebhookNotFound } from "@countersign/core/domain/errors/Errors"
import * as EventTable from "@countersign/core/domain/events/EventTable"
import * as Durations from "@countersign/core/domain/values/Duration"
import { WebhookId } from "@countersign/core/domain/values/Ids"
import { Audit } from "@countersign/core/services/Audit"
import { rotationMillis, Webhooks } from "@countersign/core/services/Webhooks"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { organizationCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { CommandFailed } from "../failures.ts"
import { argument, duration, isGiven, many, optionally, sequence, text } from "../flags.ts"
import { print, printDone, printRecord, printTable } from "../output.ts"
import { type Cell, record } from "../table.ts"

const id = Argument.map(argument("id", "The id of the webhook"), WebhookId)

const types = many(
  "type",
  EventTable.types,
  "A type of event that is sent; repeatable. Default: all",
)

const after = sequence("after", "The last event that is not sent")

const stateOf = ({ isEnabled, status, troubledSince }: Data.Webhook): string => {
  if (!isEnabled) return "disabled"
  return status === "active" && troubledSince !== null ? "retrying" : status
}

const fieldsOf = (webhook: Data.Webhook): Readonly<Record<string, Cell>> => ({
  Id: webhook.id,
  URL: webhook.url,
  Description: webhook.description,
  Events: webhook.types?.join(", ") ?? "all",
  State: stateOf(webhook),
  "Attempted up to": webhook.position,
  "Waiting for a retry": webhook.retrying,
  "Slow until": webhook.slowUntil,
  "Last error": webhook.lastError,
})

const list = organizationCommand(
  "list",
  "List the webhooks of an organization",
  {},
  Effect.fnUntraced(function* (organization) {
    const webhooks = yield* Webhooks
    const found = yield* webhooks.list({ organization })
    yield* printTable<Data.Webhook>(
      showing(Rows.webhooks.list)(found),
      [
        "id",
        "url",
        { title: "state", of: stateOf },
        "position",
        "retrying",
        { title: "troubled since", of: ({ troubledSince }) => troubledSince },
        { title: "last error", of: ({ lastError }) => lastError },
      ],
      { empty: `${organization} has no webhooks.` },
    )
  }),
)

const attempts = organizationCommand(
  "attempts",
  "List the newest requests to a webhook, and its answers",
  { id },
  Effect.fnUntraced(function* (organization, { id }) {
    const found = yield* Webhooks.use((_) => _.list({ organization }))
    const webhook = found.find((one) => one.id === id)
    if (webhook === undefined) return yield* new WebhookNotFound()
    yield* printTable<Data.WebhookAttempt>(
      showing(Rows.webhooks.update)(webhook).attempts,
      [
        { title: "time", of: ({ at }) => at },
        "sequence",
        "status",
        { title: "ms", of: ({ millis }) => millis },
        "error",
        "answer",
      ],
      { empty: `There was no request to ${id} yet.` },
    )
  }),
)

const secretIsShownOnce = "The secret is shown only this once. Store it now."

const create = organizationCommand(
  "create",
  "Add a webhook and print its secret, once",
  {
    url: argument("url", "An absolute URL with https"),
    description: text("description", "For people, at most 200 characters"),
    types,
    after,
  },
  Effect.fnUntraced(function* (organization, input) {
    const webhooks = yield* Webhooks
    const created = showing(Rows.webhooks.create)(
      yield* webhooks.create({ organization, ...input }),
    )
    yield* print(created, (zone) =>
      [record({ ...fieldsOf(created), Secret: created.secret }, zone), secretIsShownOnce].join(
        "\n",
      ),
    )
  }),
)

const update = organizationCommand(
  "update",
  "Change the settings of a webhook that are given",
  {
    id,
    url: text("url", "An absolute URL with https"),
    description: text("description", "For people, at most 200 characters"),
    types,
    allTypes: isGiven("all-types", "Send events of all types"),
    isEnabled: optionally(Flag.Boolean("enabled").pipe(Flag.withDescription("Deliver events"))),
  },
  Effect.fnUntraced(function* (organization, { allTypes, types, ...input }) {
    const webhooks = yield* Webhooks
    const changes = { ...input, types: allTypes ? null : types }
    const webhook = showing(Rows.webhooks.update)(
      yield* webhooks.update({ organization, ...changes }),
    )
    yield* printRecord(webhook, fieldsOf(webhook))
  }),
)

const rotateSecret = organizationCommand(
  "rotate-secret",
  "Make a new secret and print it, once. The current one signs as well for a while",
  {
    id,
    grace: duration("grace", rotationMillis).pipe(
      Flag.withDescription('How long both secrets sign, at most 30 days: "1 day"'),
      Flag.withDefault(86_400_000),
    ),
  },
  Effect.fnUntraced(function* (organization, { grace, id }) {
    const webhooks = yield* Webhooks
    const left = Durations.format(grace)
    yield* confirm(`Make a new secret for ${id}? The current one ends in ${left}.`)
    const rotated = yield* webhooks.rotateSecret({ organization, id, grace: left })
    const secret = Redacted.value(rotated.secret)
    yield* print({ secret }, (zone) =>
      [record({ Id: id, Secret: secret }, zone), secretIsShownOnce].join("\n"),
    )
  }),
)

const replay = organizationCommand(
  "replay",
  "Deliver events again, and start deliveries that have ended",
  { id, after },
  Effect.fnUntraced(function* (organization, input) {
    const webhooks = yield* Webhooks
    const replayed = yield* webhooks.replay({ organization, ...input })
    const sentence = `The events after ${replayed.after} are delivered again.`
    yield* printDone(replayed, sentence)
  }),
)

const test = organizationCommand(
  "test",
  "Send one request that is no event, and say what came of it",
  { id },
  Effect.fnUntraced(function* (organization, { id }) {
    const webhooks = yield* Webhooks
    const audit = yield* Audit
    const result = yield* webhooks.sendTest({ organization, id })
    yield* audit.record({ organization, action: "webhook.tested", target: id })
    yield* printDone(result, result.isDelivered ? "The receiver has accepted it." : "It failed.")
    if (!result.isDelivered) {
      return yield* new CommandFailed({ message: `Not delivered: ${result.error ?? "unknown"}` })
    }
  }),
)

const remove = organizationCommand(
  "remove",
  "Remove a webhook",
  { id },
  Effect.fnUntraced(function* (organization, { id }) {
    const webhooks = yield* Webhooks
    yield* confirm(`Remove the webhook ${id}? Its secret is lost.`)
    yield* webhooks.remove({ organization, id })
    yield* printDone({ id }, `The webhook ${id} is removed.`)
  }),
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhooks"),
  Command.withSubcommands([list, attempts, create, update, rotateSecret, replay, test, remove]),
)
