/**
 * The mount of the dashboard, and who may use it: users who have signed in with the number of an operator.
 */
import type { AdminOptions, Mount } from "countersign"
import { countersign } from "./engine.ts"
import { operators } from "./environment.ts"
import { cookieName, sessions } from "./sessions.ts"

/** The audit gets the name of an operator. It outlives the erasure of a number, so it gets no number. */
const authorize: AdminOptions["authorize"] = async ({ headers }) => {
  const cookies = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
  const id = cookies.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
  const session = id === undefined ? undefined : await (await sessions()).find(id, Date.now())
  const name = session?.requestId === null ? operators().get(session.phoneNumber) : undefined
  if (name !== undefined) return { actor: { id: name }, roles: ["operator"] }
  const isPage = headers.get("accept")?.includes("text/html") === true
  // A page leads to the sign-in. The API answers 401.
  return isPage ? new Response(null, { status: 303, headers: { location: "/" } }) : undefined
}

declare global {
  // As the engine: once for the process, and not once for each bundle.
  var adminOfThisProcess: Promise<Mount> | undefined
}

const make = async (): Promise<Mount> => {
  const { dashboard } = await import(/* turbopackIgnore: true */ "@countersign/dashboard")
  const options = { basePath: "/dashboard", authorize, pages: dashboard() }
  return (await countersign()).admin(options)
}

export const admin = (): Promise<Mount> =>
  (globalThis.adminOfThisProcess ??= make().catch((error: unknown) => {
    // The database may be there the next time.
    globalThis.adminOfThisProcess = undefined
    throw error
  }))
