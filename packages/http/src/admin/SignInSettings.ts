/** The checked options of a sign-in with a provider, and what its claims say of a person. */
import {
  isRole,
  problemOf,
  type Role,
  roleNames,
  roles as roleTable,
} from "@countersign/core/domain/access/Roles"
import type { Person, SignInOptions } from "./AdminOptions.ts"

export interface SignInSettings {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: string
  /** The address of the mount without a slash at its end. */
  readonly url: string
  readonly roles: ReadonlyMap<string, Role>
  readonly roleClaim: string
  readonly organizationClaim: string
  readonly scope: string
  readonly providerName: string
}

const refuse = (name: string, problem: string): never => {
  throw new TypeError(`signIn.${name}: ${problem}`)
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost") || /^127\.|^\[::1\]$/.test(hostname)

/** An address without encryption would give tokens and sessions away, except on this machine. */
const addressOf = (name: string, text: string | undefined, example: string): URL => {
  const url = URL.parse(text ?? "")
  if (url === null) return refuse(name, `required, an address such as ${example}`)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url)))
    return refuse(name, `must begin with https:, except on localhost`)
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    return refuse(name, `must have no query, no fragment and no password`)
  return url
}

const textOf = (name: string, text: string | undefined, hint: string): string =>
  typeof text === "string" && text.trim() !== "" ? text : refuse(name, `required, ${hint}`)

const rolesOf = (given: SignInOptions["roles"]): ReadonlyMap<string, Role> => {
  const entries = Object.entries<string>(Object(given))
  if (entries.length === 0)
    return refuse("roles", `required, such as { "sms-operators": "operator" }`)
  return new Map(
    entries.map(([value, role]) => [
      value,
      isRole(role)
        ? role
        : refuse("roles", `"${role}" of "${value}" is no role; write ${roleNames.join(", ")}`),
    ]),
  )
}

/** Throws a `TypeError` that names the option. */
export const settingsOf = (options: SignInOptions): SignInSettings => {
  const { organizationClaim = "organizations", providerName, roleClaim = "roles" } = options
  const { scope = "openid profile email" } = options
  const issuer = addressOf("issuer", options.issuer, "https://login.example.com")
  const url = addressOf("url", options.url, "https://ops.example.com/dashboard")
  if (!scope.split(" ").includes("openid"))
    return refuse("scope", 'must contain "openid", such as "openid profile email"')
  return {
    issuer,
    url: url.href.replace(/\/+$/, ""),
    clientId: textOf("clientId", options.clientId, "the id of this client at the provider"),
    clientSecret: textOf("clientSecret", options.clientSecret, "the secret of this client"),
    roles: rolesOf(options.roles),
    roleClaim: textOf("roleClaim", roleClaim, "the name of a claim"),
    organizationClaim: textOf("organizationClaim", organizationClaim, "the name of a claim"),
    scope,
    providerName: providerName ?? issuer.host,
  }
}

type Claims = Readonly<Record<string, unknown>>

/** A claim by its name, which may contain dots, or by its path. */
const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name.split(".").reduce<unknown>((value, part) => Object(value)[part], claims)

const textsOf = (value: unknown): ReadonlyArray<string> =>
  [value].flat().filter((one) => typeof one === "string")

/** Whether the claims say something of a person's roles. A provider may say it to a separate request only. */
export const hasRoles = ({ roleClaim }: SignInSettings, claims: Claims): boolean =>
  textsOf(claimOf(claims, roleClaim)).length > 0

const nameIn = (claims: Claims, id: string): string =>
  textsOf([claims["name"], claims["preferred_username"], claims["email"]])[0] ?? id

/** A person without a role, and what is missing. */
export interface WithoutRole {
  readonly name: string
  readonly missing: "roles" | "organizations"
}

export const personOf = (
  { organizationClaim, roleClaim, roles }: SignInSettings,
  id: string,
  claims: Claims,
): Person | WithoutRole => {
  const name = nameIn(claims, id)
  const given = textsOf(claimOf(claims, roleClaim)).flatMap((value) => roles.get(value) ?? [])
  const own = textsOf(claimOf(claims, organizationClaim))
  const isOfAll = own.length === 0 || given.some((role) => roleTable[role].organizations === "all")
  const organizations = isOfAll ? null : own
  const usable = [...new Set(given)].filter(
    (role) => problemOf({ roles: [role], organizations: isOfAll ? undefined : own }) === undefined,
  )
  if (usable.length > 0) return { id, name, roles: usable, organizations }
  return { name, missing: given.length === 0 ? "roles" : "organizations" }
}
