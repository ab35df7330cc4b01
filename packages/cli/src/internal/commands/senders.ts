import type { Sender } from "@countersign/core/domain/messages/Sender"
import { SenderId } from "@countersign/core/domain/values/Ids"
import { Senders } from "@countersign/core/services/Senders"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { argument, isGiven, text } from "../flags.ts"
import { CommandFailed } from "../failures.ts"
import { printDone, printRecord, printTable } from "../output.ts"
import { allOf } from "../pages.ts"

const id = argument("id", "The id of the sender")

const printSender = (sender: Sender) =>
  printRecord(sender, {
    Id: sender.id,
    Kind: sender.kind,
    Sender: sender.sender,
    Status: sender.status,
    Default: sender.isDefault,
  })

const list = organizationCommand(
  "list",
  "List the senders of an organization",
  {},
  Effect.fnUntraced(function* (organization) {
    const senders = yield* Senders
    const found = yield* allOf((page) => senders.list({ organization, ...page }))
    yield* printTable<Sender>(
      found,
      ["id", "kind", "sender", "status", { title: "default", of: ({ isDefault }) => isDefault }],
      { empty: `${organization} has no senders.` },
    )
  }),
)

const save = organizationCommand(
  "save",
  "Create a sender, or replace the one with the id",
  {
    sender: argument("sender", "The masking name, the number, or the id of the profile"),
    kind: Flag.Literals("kind", ["masking", "non-masking", "whatsapp"]).pipe(
      Flag.withDescription("A name, a number, or a WhatsApp profile"),
    ),
    id: text("id", "The sender to replace. Default: a new one"),
    status: Flag.Literals("status", ["pending", "approved", "rejected"]).pipe(
      Flag.withDescription("Only approved senders send"),
      Flag.withDefault("approved"),
    ),
    isDefault: isGiven("default", "Use it for requests that name no sender"),
  },
  Effect.fnUntraced(function* (organization, input) {
    const senders = yield* Senders
    yield* printSender(yield* senders.save({ organization, ...input }))
  }),
)

const decision = <const Name extends "approve" | "reject">(
  name: Name,
  status: Sender["status"] & ("approved" | "rejected"),
) =>
  organizationCommand(
    name,
    `${name === "approve" ? "Approve" : "Reject"} a sender`,
    { id },
    Effect.fnUntraced(function* (organization, { id }) {
      const senders = yield* Senders
      const sender = yield* senders.decide(organization, SenderId(id), status)
      if (sender.status !== status) {
        return yield* new CommandFailed({ message: `The sender ${id} is withdrawn.` })
      }
      yield* printSender(sender)
    }),
  )

const withdraw = organizationCommand(
  "withdraw",
  "End the use of a sender. It stays in the list",
  { id },
  Effect.fnUntraced(function* (organization, { id }) {
    const senders = yield* Senders
    yield* confirm(`Refuse messages of the sender ${id} from the next request on?`)
    yield* senders.withdraw({ organization, id: SenderId(id) })
    yield* printDone({ id }, `The sender ${id} is withdrawn.`)
  }),
)

export const sender = Command.make("sender").pipe(
  Command.withDescription("Senders"),
  Command.withSubcommands([
    list,
    save,
    decision("approve", "approved"),
    decision("reject", "rejected"),
    withdraw,
  ]),
)
