import * as Result from "effect/Result"
import * as Money from "@countersign/core/domain/values/Money"
import { showing } from "@countersign/core/api/Operation"
import * as Rows from "@countersign/core/api/organizations"
import type { OrganizationSummary } from "@countersign/core/api/types/organizations"
import * as Input from "@countersign/core/api/Input"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Organization } from "@countersign/core/domain/organizations/Organization"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { engineCommand, type Input as InputOf } from "../command.ts"
import { confirm } from "../confirm.ts"
import { argument, limit, optionally, text } from "../flags.ts"
import { printDone, printRecord, printTable } from "../output.ts"

/** An optional flag that names something. */
const named = (name: string, metavar: string, description: string) =>
  optionally(Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description)))

/** A command on the organization that its first argument names. */
const ownCommand = <const Name extends string, const C extends Command.Command.Config, E, R>(
  name: Name,
  description: string,
  own: C,
  handler: (organization: OrganizationId, input: InputOf<C>) => Effect.Effect<void, E, R>,
) =>
  engineCommand(name, description, { id: argument("id", "The organization"), own }, ({ id, own }) =>
    Effect.flatMap(Input.organizationOf({ organization: id }), (known) => handler(known, own)),
  )

const list = engineCommand(
  "list",
  "List organizations",
  {
    after: named("after", "ID", "The last id of the previous page"),
    limit: limit("Organizations in the page", 1_000, 100),
  },
  Effect.fnUntraced(function* ({ after, limit }) {
    const organizations = yield* Organizations
    const page = yield* organizations.list({
      after: after === undefined ? undefined : yield* Input.organizationOf({ organization: after }),
      limit,
    })
    yield* printTable<OrganizationSummary>(
      showing(Rows.organizations.list)(page),
      [
        "id",
        "name",
        "balance",
        "held",
        { title: "keys", of: ({ activeApiKeys }) => activeApiKeys },
        { title: "sender", of: ({ hasDefaultSender }) => (hasDefaultSender ? "yes" : "none") },
        { title: "suspended", of: ({ isSuspended }) => isSuspended },
      ],
      { empty: "There are no organizations." },
    )
  }),
)

const noSender = (id: string): string =>
  `none. Run: countersign sender save SENDER --kind non-masking --default -o ${id}`

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

const show = ownCommand(
  "show",
  "Show an organization and its settings",
  {},
  Effect.fnUntraced(function* (id) {
    const organizations = yield* Organizations
    yield* printOrganization(yield* organizations.get({ id }))
  }),
)

const create = engineCommand(
  "create",
  "Create an organization",
  {
    id: argument("id", "1 to 64 characters of A-Z a-z 0-9 _ -"),
    name: text("name", "The name for people. Default: the id"),
    sms: named("sms-sender", "SENDER", "The number that sends SMS, if a request names no sender"),
    whatsapp: named(
      "whatsapp-sender",
      "SENDER",
      "The profile that sends over WhatsApp, if a request names no sender",
    ),
  },
  Effect.fnUntraced(function* ({ id, name, ...senders }) {
    const organizations = yield* Organizations
    yield* printOrganization(yield* organizations.create({ id, name, senders }))
  }),
)

const rename = ownCommand(
  "rename",
  "Rename an organization",
  { name: argument("name", "The new name") },
  Effect.fnUntraced(function* (id, { name }) {
    const organizations = yield* Organizations
    yield* printOrganization(yield* organizations.update({ id, name }))
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

const configure = ownCommand(
  "configure",
  "Change the settings of an organization that are given. See also allow and limits",
  {
    balanceLowAt: Flag.map(
      named(
        "balance-low-at",
        "AMOUNT",
        "The balance below which the event balance_low is raised; or none",
      ),
      (amount) => (amount === "none" ? null : amount),
    ),
    blockedPrefixes: prefixes("blocked-prefixes", "Prefixes of numbers that get no messages"),
    allowedPrefixes: prefixes("allowed-prefixes", "Prefixes of numbers without fraud rules"),
  },
  Effect.fnUntraced(function* (id, given) {
    const organizations = yield* Organizations
    const balanceLowAt =
      typeof given.balanceLowAt === "string"
        ? yield* Input.field("balanceLowAt", Result.merge(Money.fromDecimal(given.balanceLowAt)))
        : given.balanceLowAt
    yield* printOrganization(yield* organizations.update({ ...given, balanceLowAt, id }))
  }),
)

const suspend = ownCommand(
  "suspend",
  "Refuse all keys of an organization",
  {},
  Effect.fnUntraced(function* (id) {
    const organizations = yield* Organizations
    yield* confirm(`Refuse all keys of ${id} from the next request on?`)
    yield* printOrganization(yield* organizations.suspend({ id }))
  }),
)

const resume = ownCommand(
  "resume",
  "Accept the keys of a suspended organization again",
  {},
  Effect.fnUntraced(function* (id) {
    const organizations = yield* Organizations
    yield* printOrganization(yield* organizations.resume({ id }))
  }),
)

const repairTime = ownCommand(
  "repair-time",
  "Move times that a wrong clock has set back to the present",
  {},
  Effect.fnUntraced(function* (id) {
    const organizations = yield* Organizations
    yield* confirm(`Move the times of ${id} back to the clock of the database?`)
    const repaired = yield* organizations.repairTime({ id })
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
