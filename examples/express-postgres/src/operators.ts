/**
 * Who may use the dashboard: users who have signed in with the number of an operator.
 */
import type { AdminOptions } from "countersign"
import { readCookie } from "./cookie.ts"
import type { Parts } from "./login.ts"

/** Names of operators by their phone numbers. */
export type Operators = ReadonlyMap<string, string>

export const authorize =
  (
    { cookie, sessions }: Pick<Parts, "cookie" | "sessions">,
    operators: Operators,
  ): AdminOptions["authorize"] =>
  async ({ headers }) => {
    const id = readCookie({ headers: { cookie: headers.get("cookie") ?? "" } }, cookie.name)
    const session = id === undefined ? undefined : await sessions.find(id)
    const name = session?.requestId === null ? operators.get(session.phoneNumber) : undefined
    // The audit names them. It outlives the erasure of a number, so it gets no number.
    if (name !== undefined) return { actor: { id: name }, roles: ["operator"] }
    const isPage = headers.get("accept")?.includes("text/html") === true
    // A page leads to the sign-in. The API answers 401.
    return isPage ? new Response(null, { status: 303, headers: { location: "/" } }) : undefined
  }
