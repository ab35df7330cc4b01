/**
 * The dashboard of Countersign: its built pages, and a sign-in by password for hosts without a login of their own.
 * The module requires nothing but the web APIs that Node, Bun, Deno and Workers share.
 */
export { dashboard } from "./internal/dashboard.ts"
export type { DashboardOptions, Locale, PageFile, Pages } from "./internal/options.ts"
export { type SignInOptions, signInWithPassword } from "./internal/signIn.ts"
export type { Authorize, DashboardRole, SignedIn, SignInContext } from "./internal/signIn.ts"
export type { Color, Theme } from "./internal/theme.ts"
