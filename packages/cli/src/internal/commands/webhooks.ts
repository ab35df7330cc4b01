import * as Input from "@countersign/core/codec/InputReaders"
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
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { duration } from "../durations.ts"
import { CommandFailed } from "../failures.ts"
import { print, printDone, printRecord, printTable } from "../output.ts"
import { optionally, text } from "../searches.ts"
import { organization } from "../settings.ts"
import { type Cell, record } from "../table.ts"

const id = Argument.String("id").pipe(Argument.withDescription("The id of the webhook"))

const types = Flag.Literals("type", EventTable.types).pipe(
  Flag.withDescription("A type of event that is sent; repeatable. Default: all"),
  Flag.atLeast(0),
)

const after = optionally(
  Flag.Int("after").pipe(
    Flag.withMetavar("SEQUENCE"),
    Flag.withDescription("The last event that is not sent"),
  ),
)

const refOf = Effect.fnUntraced(function* (input: {
  readonly organization: string
  readonly id: string
}) {
  return { organization: yield* Input.organizationOf(input), id: WebhookId(input.id) }
})

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

const list = engineCommand(
  "list",
  "List the webhooks of an organization",
  { organization },
  Effect.fnUntraced(function* (input) {
    const webhooks = yield* Webhooks
    const found = yield* webhooks.list({ organization: yield* Input.organizationOf(input) })
    yield* printTable<Data.Webhook>(
      showing(Rows.webhooks.list)(found),
      [
        { title: "id", of: ({ id }) => id },
        { title: "url", of: ({ url }) => url },
        { title: "state", of: stateOf },
        { title: "position", of: ({ position }) => position, isRight: true },
        { title: "retrying", of: ({ retrying }) => retrying, isRight: true },
        { title: "troubled since", of: ({ troubledSince }) => troubledSince },
        { title: "last error", of: ({ lastError }) => lastError },
      ],
      { empty: `${input.organization} has no webhooks.` },
    )
  }),
)

const attempts = engineCommand(
  "attempts",
  "List the newest requests to a webhook, and its answers",
  { organization, id },
  Effect.fnUntraced(function* (input) {
    const { id, organization } = yield* refOf(input)
    const found = yield* Webhooks.use((_) => _.list({ organization }))
    const webhook = found.find((one) => one.id === id)
    if (webhook === undefined) return yield* new WebhookNotFound()
    yield* printTable<Data.WebhookAttempt>(
      showing(Rows.webhooks.update)(webhook).attempts,
      [
        { title: "time", of: ({ at }) => at },
        { title: "sequence", of: ({ sequence }) => sequence, isRight: true },
        { title: "status", of: ({ status }) => status, isRight: true },
        { title: "ms", of: ({ millis }) => millis, isRight: true },
        { title: "error", of: ({ error }) => error },
        { title: "answer", of: ({ answer }) => answer },
      ],
      { empty: `There was no request to ${id} yet.` },
    )
  }),
)

const secretIsShownOnce = "The secret is shown only this once. Store it now."

const create = engineCommand(
  "create",
  "Add a webhook and print its secret, once",
  {
    organization,
    url: Argument.String("url").pipe(Argument.withDescription("An absolute URL with https")),
    description: text("description", "For people, at most 200 characters"),
    types,
    after,
  },
  Effect.fnUntraced(function* ({ after, description, types, url, ...input }) {
    const webhooks = yield* Webhooks
    const made = yield* webhooks.create({
      organization: yield* Input.organizationOf(input),
      url,
      description,
      types: types.length === 0 ? undefined : types,
      after,
    })
    const created = showing(Rows.webhooks.create)(made)
    yield* print(created, (zone) =>
      [record({ ...fieldsOf(created), Secret: created.secret }, zone), secretIsShownOnce].join(
        "\n",
      ),
    )
  }),
)

const update = engineCommand(
  "update",
  "Change the settings of a webhook that are given",
  {
    organization,
    id,
    url: text("url", "An absolute URL with https"),
    description: text("description", "For people, at most 200 characters"),
    types,
    allTypes: Flag.Boolean("all-types").pipe(
      Flag.withDescription("Send events of all types"),
      Flag.withDefault(false),
    ),
    isEnabled: optionally(Flag.Boolean("enabled").pipe(Flag.withDescription("Deliver events"))),
  },
  Effect.fnUntraced(function* ({ allTypes, description, isEnabled, types, url, ...input }) {
    const webhooks = yield* Webhooks
    const given = types.length === 0 ? undefined : types
    const updated = yield* webhooks.update({
      ...(yield* refOf(input)),
      url,
      description,
      types: allTypes ? null : given,
      isEnabled,
    })
    const webhook = showing(Rows.webhooks.update)(updated)
    yield* printRecord(webhook, fieldsOf(webhook))
  }),
)

const rotateSecret = engineCommand(
  "rotate-secret",
  "Make a new secret and print it, once. The current one signs as well for a while",
  {
    organization,
    id,
    grace: duration("grace", rotationMillis).pipe(
      Flag.withDescription('How long both secrets sign, at most 30 days: "1 day"'),
      Flag.withDefault(86_400_000),
    ),
  },
  Effect.fnUntraced(function* ({ grace, ...input }) {
    const webhooks = yield* Webhooks
    const ref = yield* refOf(input)
    const left = Durations.format(grace)
    yield* confirm(`Make a new secret for ${input.id}? The current one ends in ${left}.`)
    const rotated = yield* webhooks.rotateSecret({ ...ref, grace: left })
    const secret = Redacted.value(rotated.secret)
    yield* print({ secret }, (zone) =>
      [record({ Id: input.id, Secret: secret }, zone), secretIsShownOnce].join("\n"),
    )
  }),
)

const replay = engineCommand(
  "replay",
  "Deliver events again, and start deliveries that have ended",
  { organization, id, after },
  Effect.fnUntraced(function* ({ after, ...input }) {
    const webhooks = yield* Webhooks
    const replayed = yield* webhooks.replay({ ...(yield* refOf(input)), after })
    const sentence = `The events after ${replayed.after} are delivered again.`
    yield* printDone(replayed, sentence)
  }),
)

const test = engineCommand(
  "test",
  "Send one request that is no event, and say what came of it",
  { organization, id },
  Effect.fnUntraced(function* (input) {
    const webhooks = yield* Webhooks
    const audit = yield* Audit
    const ref = yield* refOf(input)
    const result = yield* webhooks.sendTest(ref)
    yield* audit.record({
      organization: ref.organization,
      action: "webhook.tested",
      target: ref.id,
    })
    yield* printDone(result, result.isDelivered ? "The receiver has accepted it." : "It failed.")
    if (!result.isDelivered) {
      return yield* new CommandFailed({ message: `Not delivered: ${result.error ?? "unknown"}` })
    }
  }),
)

const remove = engineCommand(
  "remove",
  "Remove a webhook",
  { organization, id },
  Effect.fnUntraced(function* (input) {
    const webhooks = yield* Webhooks
    const ref = yield* refOf(input)
    yield* confirm(`Remove the webhook ${ref.id}? Its secret is lost.`)
    yield* webhooks.remove(ref)
    yield* printDone({ id: ref.id }, `The webhook ${ref.id} is removed.`)
  }),
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhooks"),
  Command.withSubcommands([list, attempts, create, update, rotateSecret, replay, test, remove]),
)
