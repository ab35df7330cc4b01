import * as Result from "effect/Result"
import * as Money from "@countersign/core/domain/values/Money"
import { showing } from "@countersign/core/api/Operation"
import { organizations as rows } from "@countersign/core/api/organizations"
import type { OrganizationSummary } from "@countersign/core/api/types/organizations"
import * as Input from "@countersign/core/api/Input"
import type { Organization } from "@countersign/core/domain/organizations/Organization"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { confirm, engineCommand, group, organizationCommand, ownCommand } from "../command.ts"
import { CommandFailed } from "../failures.ts"
import { argument, limit, optionally, text } from "../flags.ts"
import { printDone, printRecord, printTable } from "../output.ts"

const page = {
  after: text("after", "The last id of the previous page", "ID"),
  limit: limit("Organizations in the page", 1_000, 100),
}

const list = engineCommand("list", rows.list, page, function* ({ after, limit }) {
  const organizations = yield* Organizations
  const found = yield* organizations.list({
    after: after === undefined ? undefined : yield* Input.organizationOf({ organization: after }),
    limit,
  })
  yield* printTable<OrganizationSummary>(
    showing(rows.list)(found),
    [
      "id",
      "name",
      "balance",
      "held",
      ["keys", "activeApiKeys"],
      ["sender", ({ hasDefaultSender }) => (hasDefaultSender ? "yes" : "none")],
      "isSuspended",
    ],
    "There are no organizations.",
  )
})

const noSender = (id: string): string =>
  `none. Run: countersign sender save SENDER --kind non-masking --default -o ${id}`

const printOrganization = (organization: Organization) =>
  printRecord(showing(rows.get)(organization), [
    "id",
    "name",
    "isSuspended",
    ["default sender", ({ hasDefaultSender, id }) => (hasDefaultSender ? "yes" : noSender(id))],
    ["allow list", ({ allowList }) => allowList.join(", ") || "every address"],
    ["blocked prefixes", ({ blockedPrefixes }) => blockedPrefixes.join(", ") || "none"],
    ["allowed prefixes", ({ allowedPrefixes }) => allowedPrefixes.join(", ") || "none"],
    ["own limits", ({ limits }) => Object.keys(limits).join(", ") || "none"],
    ["balance low at", "balanceLowAt"],
  ])

const show = ownCommand("show", "Show an organization and its settings", {}, function* (id) {
  yield* printOrganization(yield* Organizations.use((_) => _.get({ id })))
})

const created = {
  id: argument("id", "1 to 64 characters of A-Z a-z 0-9 _ -"),
  name: text("name", "The name for people. Default: the id"),
  sms: text("sms-sender", "The number that sends SMS, if a request names no sender", "SENDER"),
  whatsapp: text(
    "whatsapp-sender",
    "The profile that sends over WhatsApp, if a request names no sender",
    "SENDER",
  ),
}

const create = engineCommand("create", rows.create, created, function* ({ id, name, ...senders }) {
  yield* printOrganization(yield* Organizations.use((_) => _.create({ id, name, senders })))
})

const newName = { name: argument("name", "The new name") }

const rename = ownCommand("rename", "Rename an organization", newName, function* (id, { name }) {
  yield* printOrganization(yield* Organizations.use((_) => _.update({ id, name })))
})

/** A list with commas; `none` is empty. */
const prefixes = (name: string, description: string) =>
  optionally(
    Flag.String(name).pipe(
      Flag.withMetavar("LIST"),
      Flag.withDescription(`${description}, with commas between them, such as 88017,1900; or none`),
      Flag.map((list) => (list === "none" ? [] : list.split(",").map((one) => one.trim()))),
    ),
  )

const settings = {
  balanceLowAt: Flag.map(
    text(
      "balance-low-at",
      "The balance below which the event balance_low is raised; or none",
      "AMOUNT",
    ),
    (amount) => (amount === "none" ? null : amount),
  ),
  blockedPrefixes: prefixes("blocked-prefixes", "Prefixes of numbers that get no messages"),
  allowedPrefixes: prefixes("allowed-prefixes", "Prefixes of numbers without fraud rules"),
}

const configure = ownCommand("configure", rows.update, settings, function* (id, given) {
  const balanceLowAt =
    typeof given.balanceLowAt === "string"
      ? yield* Input.field("balanceLowAt", Result.merge(Money.fromDecimal(given.balanceLowAt)))
      : given.balanceLowAt
  yield* printOrganization(
    yield* Organizations.use((_) => _.update({ ...given, balanceLowAt, id })),
  )
})

const suspend = ownCommand("suspend", rows.suspend, {}, function* (id) {
  yield* confirm(`Refuse all keys of ${id} from the next request on?`)
  yield* printOrganization(yield* Organizations.use((_) => _.suspend({ id })))
})

const resume = ownCommand("resume", rows.resume, {}, function* (id) {
  yield* printOrganization(yield* Organizations.use((_) => _.resume({ id })))
})

const repairTime = ownCommand("repair-time", rows.repairTime, {}, function* (id) {
  yield* confirm(`Move the times of ${id} back to the clock of the database?`)
  const repaired = yield* Organizations.use((_) => _.repairTime({ id }))
  const count = `Corrected messages: ${repaired.messages}.`
  yield* printDone(repaired, `The times of ${id} are right. ${count}`)
})

export const org = group(
  "org",
  [list, show, create, rename, configure, suspend, resume, repairTime],
  "Organizations",
)

const addresses = {
  addresses: Argument.String("address").pipe(
    Argument.withDescription("An address or a CIDR block, such as 203.0.113.0/24"),
    Argument.atLeast(1),
  ),
}

const printAddresses = ({ settings: { allowList } }: Organization) => {
  const rows = allowList.map((address) => ({ address }))
  return printTable(rows, ["address"], "Every address may call.", allowList)
}

const addressList = "List the addresses that may call over HTTP"

const listAllowed = organizationCommand("list", addressList, {}, function* (id) {
  yield* printAddresses(yield* Organizations.use((_) => _.get({ id })))
})

const addition = "Add addresses. Others may no longer call"

const add = organizationCommand("add", addition, addresses, function* (id, { addresses }) {
  const organizations = yield* Organizations
  const { settings } = yield* organizations.get({ id })
  if (settings.allowList.length === 0) {
    yield* confirm("Every address may call now. Refuse all others?")
  }
  const allowListChanges = { add: addresses }
  yield* printAddresses(yield* organizations.update({ id, allowListChanges }))
})

const removal = "Remove addresses. With none left, every address may call"

const remove = organizationCommand("remove", removal, addresses, function* (id, { addresses }) {
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
  yield* printAddresses(changed)
})

export const allow = group("allow", [listAllowed, add, remove], "Addresses that may call over HTTP")
