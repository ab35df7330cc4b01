/** Mistakes in who may use the admin API, and from where. */
import type { Mistake } from "./planting.ts"

const admin = "packages/http/src/internal/admin"
const test = "packages/http/test/admin/Admin.test.ts"
const crossSite = "packages/http/test/admin/Admin.crossSite.test.ts"
const tenants = "packages/http/test/admin/Admin.tenants.test.ts"

export const adminMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a tenant reads other organizations",
    file: `${admin}/authorization.ts`,
    find: "if (isHidden(principal, organization)) return Refusals.organizationNotFound",
    replace: "",
    test: { path: test, title: "account.ledger hides other organizations from a tenant" },
  },
  {
    name: "the admin API checks no roles",
    file: `${admin}/authorization.ts`,
    find: "!hasRole(principal, needed) ||",
    replace: "",
    test: { path: test, title: "apiKeys.create is refused without its role" },
  },
  {
    name: "a tenant books money",
    file: `${admin}/access.ts`,
    find: 'role: "finance", isOperatorOnly: true',
    replace: 'role: "finance"',
    test: {
      path: "packages/http/test/admin/AdminApi.test.ts",
      title: "lets tenants read, and change what is theirs",
    },
  },
  {
    name: "a tenant approves its own sender",
    file: `${admin}/organizationHandlers.ts`,
    find: 'isTenant ? "pending" : ',
    replace: "",
    test: { path: tenants, title: "lets only operators approve a sender" },
  },
  {
    name: "a tenant lifts its own limits",
    file: `${admin}/organizationHandlers.ts`,
    find: "const denied = isTenant ?",
    replace: "const denied = !isTenant ?",
    test: { path: tenants, title: "lets only operators change limits" },
  },
  {
    name: "the admin API sends a code again before the audit has its entry",
    file: `${admin}/recordHandlers.ts`,
    find: 'recordFirst(audit, "verification.resent", requestId, (organization) =>',
    replace: "inOrganization((organization) =>",
    test: {
      path: "packages/http/test/admin/Admin.audit.test.ts",
      title: "verifications.resend is refused, and does nothing, if the audit fails",
    },
  },
  {
    name: "the admin API lists all organizations to a tenant",
    file: `${admin}/organizationHandlers.ts`,
    find: "organization === undefined ? listAll(query) : listOwn(organization)",
    replace: "listAll(query)",
    test: { path: tenants, title: "shows a tenant its own organization only" },
  },
  {
    name: "a page of the same site may write",
    file: `${admin}/crossSite.ts`,
    find: 'site !== "same-origin"',
    replace: 'site === "cross-site"',
    test: {
      path: crossSite,
      title: "refuses a write with the headers: sec-fetch-site same-site cookie session…",
    },
  },
  {
    name: "a write without the headers of a browser may have a cookie",
    file: `${admin}/crossSite.ts`,
    find: "return cookie !== undefined",
    replace: "return false",
    test: { path: crossSite, title: "refuses a write with the headers: cookie session=1" },
  },
  {
    name: "the audit names the host for changes of an operator",
    file: `${admin}/authorization.ts`,
    find: "Effect.provideService(Actor, { id, origin })",
    replace: 'Effect.provideService(Actor, { id: "host", origin })',
    test: {
      path: test,
      title: "apiKeys.create leaves an entry in the audit that names the actor",
    },
  },
]
