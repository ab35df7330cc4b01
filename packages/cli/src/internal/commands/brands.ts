import type { Sender } from "@countersign/core/domain/messages/Sender"
import * as Input from "@countersign/core/codec/InputReaders"
import { SenderId } from "@countersign/core/domain/values/Ids"
import { Senders } from "@countersign/core/services/Senders"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { CommandFailed } from "../failures.ts"
import { printDone, printRecord, printTable } from "../output.ts"
import { allOf } from "../pages.ts"
import { organization } from "../settings.ts"

const id = Argument.String("id").pipe(Argument.withDescription("The id of the sender"))

const printSender = (brand: Sender) =>
  printRecord(brand, {
    Id: brand.id,
    Kind: brand.kind,
    Sender: brand.sender,
    Status: brand.status,
    Default: brand.isDefault,
  })

const list = engineCommand(
  "list",
  "List the senders of an organization",
  { organization },
  Effect.fnUntraced(function* (input) {
    const brands = yield* Senders
    const organization = yield* Input.organizationOf(input)
    const found = yield* allOf((page) => brands.list({ organization, ...page }))
    yield* printTable<Sender>(
      found,
      [
        { title: "id", of: ({ id }) => id },
        { title: "kind", of: ({ kind }) => kind },
        { title: "sender", of: ({ sender }) => sender },
        { title: "status", of: ({ status }) => status },
        { title: "default", of: ({ isDefault }) => isDefault },
      ],
      { empty: `${input.organization} has no senders.` },
    )
  }),
)

const save = engineCommand(
  "save",
  "Create a sender, or replace the one with the id",
  {
    organization,
    sender: Argument.String("sender").pipe(
      Argument.withDescription("The masking name, the number, or the id of the profile"),
    ),
    kind: Flag.Literals("kind", ["masking", "non-masking", "whatsapp"]).pipe(
      Flag.withDescription("A name, a number, or a WhatsApp profile"),
    ),
    id: Flag.String("id").pipe(
      Flag.withDescription("The sender to replace. Default: a new one"),
      Flag.optional,
    ),
    status: Flag.Literals("status", ["pending", "approved", "rejected"]).pipe(
      Flag.withDescription("Only approved senders send"),
      Flag.withDefault("approved"),
    ),
    isDefault: Flag.Boolean("default").pipe(
      Flag.withDescription("Use it for requests that name no sender"),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ id, isDefault, kind, sender, status, ...input }) {
    const brands = yield* Senders
    const organization = yield* Input.organizationOf(input)
    const brand = { id: Option.getOrUndefined(id), isDefault, kind, sender, status }
    yield* printSender(yield* brands.save({ organization, ...brand }))
  }),
)

const decision = <const Name extends "approve" | "reject">(
  name: Name,
  status: Sender["status"] & ("approved" | "rejected"),
) =>
  engineCommand(
    name,
    `${name === "approve" ? "Approve" : "Reject"} a sender`,
    { organization, id },
    Effect.fnUntraced(function* ({ id, ...input }) {
      const brands = yield* Senders
      const organization = yield* Input.organizationOf(input)
      const brand = yield* brands.decide(organization, SenderId(id), status)
      if (brand.status !== status) {
        return yield* new CommandFailed({ message: `The sender ${id} is withdrawn.` })
      }
      yield* printSender(brand)
    }),
  )

const withdraw = engineCommand(
  "withdraw",
  "End the use of a sender. It stays in the list",
  { organization, id },
  Effect.fnUntraced(function* ({ id, ...input }) {
    const brands = yield* Senders
    const organization = yield* Input.organizationOf(input)
    yield* confirm(`Refuse messages of the sender ${id} from the next request on?`)
    yield* brands.withdraw({ organization, id: SenderId(id) })
    yield* printDone({ id }, `The sender ${id} is withdrawn.`)
  }),
)

export const brand = Command.make("brand").pipe(
  Command.withDescription("Senders"),
  Command.withSubcommands([
    list,
    save,
    decision("approve", "approved"),
    decision("reject", "rejected"),
    withdraw,
  ]),
)
