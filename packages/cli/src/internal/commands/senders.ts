import { senders as rows } from "@countersign/core/api/senders"
import type { Sender } from "@countersign/core/domain/messages/Sender"
import { SenderId } from "@countersign/core/domain/values/Ids"
import { Senders } from "@countersign/core/services/Senders"
import * as Flag from "effect/cli/Flag"
import { allOf, confirm, group, organizationCommand } from "../command.ts"
import { argument, isGiven, text } from "../flags.ts"
import { CommandFailed } from "../failures.ts"
import { type Column, printDone, printRecord, printTable } from "../output.ts"

const one = { id: argument("id", "The id of the sender") }

const columns: ReadonlyArray<Column<Sender>> = ["id", "kind", "sender", "status", "isDefault"]

const list = organizationCommand("list", rows.list, {}, function* (organization) {
  const senders = yield* Senders
  const found = yield* allOf((page) => senders.list({ organization, ...page }))
  yield* printTable(found, columns, `${organization} has no senders.`)
})

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
  function* (organization, input) {
    yield* printRecord(yield* Senders.use((_) => _.save({ organization, ...input })), columns)
  },
)

const decision = <const Name extends "approve" | "reject">(
  name: Name,
  status: "approved" | "rejected",
) =>
  organizationCommand(
    name,
    `${name === "approve" ? "Approve" : "Reject"} a sender`,
    one,
    function* (organization, { id }) {
      const sender = yield* Senders.use((_) => _.decide(organization, SenderId(id), status))
      if (sender.status !== status) {
        return yield* new CommandFailed({ message: `The sender ${id} is withdrawn.` })
      }
      yield* printRecord(sender, columns)
    },
  )

const withdraw = organizationCommand(
  "withdraw",
  rows.withdraw,
  one,
  function* (organization, { id }) {
    yield* confirm(`Refuse messages of the sender ${id} from the next request on?`)
    yield* Senders.use((_) => _.withdraw({ organization, id: SenderId(id) }))
    yield* printDone({ id }, `The sender ${id} is withdrawn.`)
  },
)

export const sender = group(
  "sender",
  [list, save, decision("approve", "approved"), decision("reject", "rejected"), withdraw],
  "Senders",
)
