import { Organizations } from "@countersign/core/services/Organizations"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { CommandFailed } from "../failures.ts"
import { printTable } from "../output.ts"

const addresses = Argument.String("address").pipe(
  Argument.withDescription("An address or a CIDR block, such as 203.0.113.0/24"),
  Argument.atLeast(1),
)

const printList = (allowList: ReadonlyArray<string>) =>
  printTable(allowList, [{ title: "address", of: (address) => address }], {
    empty: "Every address may call.",
  })

const list = organizationCommand(
  "list",
  "List the addresses that may call over HTTP",
  {},
  Effect.fnUntraced(function* (id) {
    const organizations = yield* Organizations
    const { settings } = yield* organizations.get({ id })
    yield* printList(settings.allowList)
  }),
)

const add = organizationCommand(
  "add",
  "Add addresses. Others may no longer call",
  { addresses },
  Effect.fnUntraced(function* (id, { addresses }) {
    const organizations = yield* Organizations
    const { settings } = yield* organizations.get({ id })
    if (settings.allowList.length === 0) {
      yield* confirm("Every address may call now. Refuse all others?")
    }
    const allowListChanges = { add: addresses }
    const changed = yield* organizations.update({ id, allowListChanges })
    yield* printList(changed.settings.allowList)
  }),
)

const remove = organizationCommand(
  "remove",
  "Remove addresses. With none left, every address may call",
  { addresses },
  Effect.fnUntraced(function* (id, { addresses }) {
    const organizations = yield* Organizations
    const { settings } = yield* organizations.get({ id })
    const mayOpen = settings.allowList.every((one) => addresses.includes(one))
    if (mayOpen && settings.allowList.length > 0) {
      yield* confirm("No address is left. Allow every address to call?")
    }
    const allowListChanges = { remove: addresses, mayOpen }
    const changed = yield* organizations.update({ id, allowListChanges })
    if (changed.settings.allowList.some((one) => addresses.includes(one))) {
      return yield* new CommandFailed({ message: "Others have removed the rest. Try again." })
    }
    yield* printList(changed.settings.allowList)
  }),
)

export const allow = Command.make("allow").pipe(
  Command.withDescription("Addresses that may call over HTTP"),
  Command.withSubcommands([list, add, remove]),
)
