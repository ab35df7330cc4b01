import { showing } from "@countersign/core/api/Operation"
import * as Rows from "@countersign/core/api/organizations"
import type { OrganizationSummary } from "@countersign/core/api/types/organizations"
import * as Input from "@countersign/core/codec/InputReaders"
import type { Organization } from "@countersign/core/domain/organizations/Organization"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { engineCommand } from "../command.ts"
import { confirm } from "../confirm.ts"
import { printDone, printRecord, printTable } from "../output.ts"
import { limit, optionally } from "../searches.ts"

const id = Argument.String("id").pipe(Argument.withDescription("The organization"))

const list = engineCommand(
  "list",
  "List organizations",
  {
    after: Flag.String("after").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("The last id of the previous page"),
      Flag.optional,
    ),
    limit: limit("Organizations in the page", 1_000, 100),
  },
  Effect.fnUntraced(function* ({ after, limit }) {
    const organizations = yield* Organizations
    const page = yield* organizations.list({
      after: Option.isSome(after) ? yield* Input.organizationId(after.value, "after") : undefined,
      limit,
    })
    yield* printTable<OrganizationSummary>(
      showing(Rows.organizations.list)(page),
      [
        { title: "id", of: ({ id }) => id },
        { title: "name", of: ({ name }) => name },
        { title: "balance", of: ({ balance }) => balance, isRight: true },
        { title: "held", of: ({ held }) => held, isRight: true },
        { title: "keys", of: ({ activeApiKeys }) => activeApiKeys, isRight: true },
        { title: "sender", of: ({ hasDefaultSender }) => (hasDefaultSender ? "yes" : "none") },
        { title: "suspended", of: ({ isSuspended }) => isSuspended },
      ],
      { empty: "There are no organizations." },
    )
  }),
)

const noSender = (id: string): string =>
  `none. Run: countersign brand save SENDER --kind non-masking --default -o ${id}`

const printOrganization = (found: Organization) => {
  const organization = showing(Rows.organizations.get)(found)
  return printRecord(organization, {
    Id: organization.id,
    Name: organization.name,
    Suspended: organization.isSuspended,
    "Default sender": organization.hasDefaultSender ? "yes" : noSender(organization.id),
    "Allow list": organization.allowList.join(", ") || "every address",
    "Blocked prefixes": organization.blockedPrefixes.join(", ") || "none",
    "Allowed prefixes": organization.allowedPrefixes.join(", ") || "none",
    "Own limits": Object.keys(organization.limits).join(", ") || "none",
    "Balance low at": organization.balanceLowAt,
  })
}

const show = engineCommand(
  "show",
  "Show an organization and its settings",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const organizations = yield* Organizations
    yield* printOrganization(
      yield* organizations.get({ id: yield* Input.organizationId(id, "id") }),
    )
  }),
)

const defaultSender = (name: string, description: string) =>
  optionally(Flag.String(name).pipe(Flag.withMetavar("SENDER"), Flag.withDescription(description)))

const create = engineCommand(
  "create",
  "Create an organization",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("1 to 64 characters of A-Z a-z 0-9 _ -"),
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("The name for people. Default: the id"),
      Flag.optional,
    ),
    sms: defaultSender("sms-sender", "The number that sends SMS, if a request names no sender"),
    whatsapp: defaultSender(
      "whatsapp-sender",
      "The profile that sends over WhatsApp, if a request names no sender",
    ),
  },
  Effect.fnUntraced(function* ({ id, name, ...senders }) {
    const organizations = yield* Organizations
    const created = yield* organizations.create({ id, name: Option.getOrUndefined(name), senders })
    yield* printOrganization(created)
  }),
)

const rename = engineCommand(
  "rename",
  "Rename an organization",
  { id, name: Argument.String("name").pipe(Argument.withDescription("The new name")) },
  Effect.fnUntraced(function* ({ id, name }) {
    const organizations = yield* Organizations
    const organization = yield* Input.organizationId(id, "id")
    yield* printOrganization(yield* organizations.update({ id: organization, name }))
  }),
)

/** A list with commas; `none` is empty. */
const prefixes = (name: string, description: string) =>
  optionally(
    Flag.String(name).pipe(
      Flag.withMetavar("LIST"),
      Flag.withDescription(`${description}, with commas between them, such as 88017,1900; or none`),
      Flag.map((list) => (list === "none" ? [] : list.split(",").map((one) => one.trim()))),
    ),
  )

const configure = engineCommand(
  "configure",
  "Change the settings of an organization that are given. See also allow and limits",
  {
    id,
    balanceLowAt: optionally(
      Flag.String("balance-low-at").pipe(
        Flag.withMetavar("AMOUNT"),
        Flag.withDescription("The balance below which the event balance_low is raised; or none"),
        Flag.map((amount) => (amount === "none" ? null : amount)),
      ),
    ),
    blockedPrefixes: prefixes("blocked-prefixes", "Prefixes of numbers that get no messages"),
    allowedPrefixes: prefixes("allowed-prefixes", "Prefixes of numbers without fraud rules"),
  },
  Effect.fnUntraced(function* ({ id, ...given }) {
    const organizations = yield* Organizations
    const organization = yield* Input.organizationId(id, "id")
    const balanceLowAt =
      typeof given.balanceLowAt === "string"
        ? yield* Input.money(given.balanceLowAt, "balanceLowAt")
        : given.balanceLowAt
    const changes = { ...given, balanceLowAt, id: organization }
    yield* printOrganization(yield* organizations.update(changes))
  }),
)

const suspend = engineCommand(
  "suspend",
  "Refuse all keys of an organization",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const organizations = yield* Organizations
    const organization = yield* Input.organizationId(id, "id")
    yield* confirm(`Refuse all keys of ${id} from the next request on?`)
    yield* printOrganization(yield* organizations.suspend({ id: organization }))
  }),
)

const resume = engineCommand(
  "resume",
  "Accept the keys of a suspended organization again",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const organizations = yield* Organizations
    const organization = yield* Input.organizationId(id, "id")
    yield* printOrganization(yield* organizations.resume({ id: organization }))
  }),
)

const repairTime = engineCommand(
  "repair-time",
  "Move times that a wrong clock has set back to the present",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const organizations = yield* Organizations
    const organization = yield* Input.organizationId(id, "id")
    yield* confirm(`Move the times of ${id} back to the clock of the database?`)
    const repaired = yield* organizations.repairTime({ id: organization })
    yield* printDone(
      repaired,
      `The times of ${id} are right. Corrected messages: ${repaired.messages}.`,
    )
  }),
)

export const org = Command.make("org").pipe(
  Command.withDescription("Organizations"),
  Command.withSubcommands([list, show, create, rename, configure, suspend, resume, repairTime]),
)
