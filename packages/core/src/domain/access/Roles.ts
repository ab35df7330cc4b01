/**
 * The permissions of the admin API: an operation needs a right, and a role gives rights. The check of each request, the
 * elements that the dashboard shows, and the tables of the documents follow from them.
 */

/** The rights that operations need, by what they allow. */
export const rights = {
  money: "read the organizations, their totals, balances, ledgers and statements",
  read: "read everything else but exports of a phone number, and try fraud rules",
  support: "cancel verifications, forget wrong codes, and change the list of opt-outs",
  finance: "book top-ups and adjustments",
  admin:
    "everything else: settings, keys, senders, webhooks, sending, batches, exports and erasures",
} as const

export type Right = keyof typeof rights

interface RoleRow {
  /** The task of a person with the role, in a few words. */
  readonly who: string
  readonly rights: ReadonlyArray<Right>
  /** Whether answers have phone numbers with their middle masked. */
  readonly masksNumbers: boolean
  /** The organizations of a person with the role: all, only those that the person has, or either. */
  readonly organizations: "all" | "own" | "either"
}

export const roles = {
  operator: {
    who: "runs the service",
    rights: ["money", "read", "support", "finance", "admin"],
    masksNumbers: false,
    organizations: "all",
  },
  support: {
    who: "helps the people who get codes",
    rights: ["money", "read", "support"],
    masksNumbers: true,
    organizations: "either",
  },
  billing: {
    who: "books payments",
    rights: ["money", "finance"],
    masksNumbers: true,
    organizations: "either",
  },
  viewer: {
    who: "reads",
    rights: ["money", "read"],
    masksNumbers: false,
    organizations: "either",
  },
  tenant: {
    who: "manages organizations of their own",
    rights: ["money", "read", "support", "admin"],
    masksNumbers: false,
    organizations: "own",
  },
} as const satisfies Readonly<Record<string, RoleRow>>

export type Role = keyof typeof roles

export const isRole = (name: string): name is Role => Object.hasOwn(roles, name)

export const roleNames: ReadonlyArray<Role> = Object.keys(roles).filter(isRole)

const rowOf = (role: Role): RoleRow => roles[role]

/** The roles of a person, and the organizations for which the person has them. */
export interface Holder {
  readonly roles: ReadonlyArray<Role>
  /** `undefined`: all. */
  readonly organizations?: ReadonlyArray<string> | undefined
}

/** The access that an operation needs. */
export interface Access {
  readonly right: Right
  /** Whether it is refused to people with organizations of their own, because it concerns the whole service. */
  readonly isOperatorOnly?: boolean
}

/** Whether a role includes an operation; `isOperatorOnly` concerns more than the organizations of one person. */
export const includes = (role: Role, { isOperatorOnly, right }: Access): boolean =>
  rowOf(role).rights.includes(right) &&
  (isOperatorOnly !== true || rowOf(role).organizations !== "own")

/** The roles that include an operation. */
export const rolesFor = (access: Access): ReadonlyArray<Role> =>
  roleNames.filter((role) => includes(role, access))

export const allows = (self: Holder, access: Access): boolean =>
  self.roles.some((role) => includes(role, access)) &&
  (access.isOperatorOnly !== true || self.organizations === undefined)

/** Whether a person may see the organization. */
export const sees = ({ organizations }: Holder, id: string): boolean =>
  organizations === undefined || organizations.includes(id)

/** Whether the answers to a person have masked phone numbers: unless one of the roles shows them. */
export const masksNumbers = (self: Holder): boolean =>
  self.roles.every((role) => rowOf(role).masksNumbers)

/** Why a person cannot have these roles; `undefined`: the person can. */
export const problemOf = (self: Holder): string | undefined => {
  const own = self.organizations !== undefined
  const wrong = self.roles.find((role) => rowOf(role).organizations === (own ? "all" : "own"))
  if (wrong === undefined) return undefined
  return own
    ? `roles: "${wrong}" is for all organizations; with \`organizations\`, give "tenant"`
    : `organizations: required with the role "${wrong}"`
}
