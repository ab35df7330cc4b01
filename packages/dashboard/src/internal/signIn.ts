import { clearedCookie, makeSession, sessionCookie, type Session } from "./session.ts"
import { languageOf, signInPage } from "./signInPage.ts"
import { makeTries, type Tries } from "./tries.ts"

/** A role of the admin API. Each includes `read`, and `admin` includes all. */
export type DashboardRole = "read" | "support" | "finance" | "admin"

/** An operator who has signed in: the `Principal` of the admin API. */
export interface SignedIn {
  readonly actor: { readonly id: string; readonly origin?: string | undefined }
  readonly roles: ReadonlyArray<DashboardRole>
}

/** The `authorize` of the options of `countersign.admin`. */
export type Authorize = (
  request: Request,
  source?: unknown,
) => Promise<SignedIn | Response | undefined>

/** Options of the sign-in by password. */
export interface SignInOptions {
  /** At least 12 characters. A new password ends the sessions of the one before. */
  readonly password: string
  /**
   * Signs the sessions together with the password, at least 16 characters. Nodes that share it share sessions.
   * @defaultValue a secret derived from the password
   */
  readonly secret?: string | undefined
  /** What a person with the password may do. @defaultValue `["admin"]` */
  readonly roles?: ReadonlyArray<DashboardRole> | undefined
  /** Named in the audit. @defaultValue `{ id: "dashboard" }` with the peer's address as `origin`, if it is known */
  readonly actor?: SignedIn["actor"] | undefined
  /** The name on the page. @defaultValue `Countersign` */
  readonly name?: string | undefined
  /** The current time in milliseconds since the epoch. @defaultValue the clock of the system */
  readonly now?: (() => number) | undefined
}

// oxlint-disable-next-line eslint/no-restricted-properties -- the package has no Clock, and tests pass a time
const systemNow = (): number => Date.now()

const formType = "application/x-www-form-urlencoded"

/** The body of a sign-in is one password. */
const maxBody = 4_096

const checkOptions = ({ password, roles, secret }: SignInOptions): void => {
  if (typeof password !== "string" || password.length < 12)
    throw new TypeError("password must have at least 12 characters")
  if (secret !== undefined && secret.length < 16)
    throw new TypeError("secret must have at least 16 characters")
  if (roles !== undefined && roles.length === 0) throw new TypeError("roles must not be empty")
}

/** The socket of a request of Node, if `source` is one. */
const socketOf = (source: unknown): object => {
  if (typeof source !== "object" || source === null || !("socket" in source)) return {}
  return typeof source.socket === "object" && source.socket !== null ? source.socket : {}
}

/** The address of the peer, if the mount knows it. */
const addressOf = (source: unknown): string | undefined => {
  const socket = socketOf(source)
  if (!("remoteAddress" in socket)) return undefined
  return typeof socket.remoteAddress === "string" ? socket.remoteAddress : undefined
}

/** Whether the browser's connection is encrypted, though the last proxy's may not be. */
const isSecure = (request: Request, source: unknown): boolean => {
  const socket = socketOf(source)
  return (
    request.url.startsWith("https:") ||
    request.headers.get("x-forwarded-proto") === "https" ||
    ("encrypted" in socket && socket.encrypted === true)
  )
}

/** Whether the request asks for a page: then it gets the sign-in page instead. */
const wantsPage = ({ headers, method }: Request): boolean =>
  method === "GET" && (headers.get("accept") ?? "").includes("text/html")

const isForm = ({ headers, method }: Request): boolean =>
  method === "POST" && (headers.get("content-type") ?? "").startsWith(formType)

/** Forms of other sites change nothing. The admin API checks its own requests. */
const isOwnForm = ({ headers }: Request): boolean =>
  ["same-origin", "none", null].includes(headers.get("sec-fetch-site"))

/** The same page again, as an address relative to it: a proxy may have another path for the mount. */
const samePage = (request: Request): string => {
  const { pathname, search } = new URL(request.url)
  return `./${pathname.slice(pathname.lastIndexOf("/") + 1)}${search}`
}

const redirect = (location: string, cookie: string): Response =>
  new Response(null, {
    status: 303,
    headers: { location, "set-cookie": cookie, "cache-control": "no-store" },
  })

interface Context {
  readonly options: SignInOptions
  readonly session: Session
  readonly tries: Tries
  readonly now: number
  readonly address: string | undefined
  readonly isSecure: boolean
}

const pageFor = (
  { options }: Context,
  request: Request,
  status: number,
  problem?: "wrong" | "limited",
): Promise<Response> =>
  signInPage({
    name: options.name ?? "Countersign",
    language: languageOf(request.headers.get("accept-language") ?? ""),
    status,
    problem,
  })

const signIn = async (context: Context, request: Request): Promise<Response> => {
  const { address = "", now, session, tries } = context
  if (!tries.admit(address, now)) return pageFor(context, request, 429, "limited")
  const body = new URLSearchParams((await request.text()).slice(0, maxBody))
  if (!(await session.isPassword(body.get("password") ?? "")))
    return pageFor(context, request, 401, "wrong")
  tries.clear(address)
  const token = await session.issue(now)
  return redirect(samePage(request), sessionCookie(session.name, token, context.isSecure))
}

/**
 * Returns an `authorize` for a mount of the admin API that asks for one password. Pages are answered with a sign-in
 * page, and other requests with 401. A session lasts 12 hours. After ten wrong passwords from an address, or from
 * all addresses if the mount does not know them, further ones are refused for up to a minute. Throws a `TypeError`
 * for invalid options.
 */
export const signInWithPassword = (options: SignInOptions): Authorize => {
  checkOptions(options)
  const { actor, now = systemNow, password, roles = ["admin"], secret } = options
  const tries = makeTries()
  let making: Promise<Session> | undefined
  return async (request, source) => {
    making ??= makeSession(password, secret)
    const context: Context = {
      options,
      session: await making,
      tries,
      now: now(),
      address: addressOf(source),
      isSecure: isSecure(request, source),
    }
    const { session } = context
    if (isForm(request) && isOwnForm(request))
      return new URL(request.url).pathname.endsWith("/sign-out")
        ? redirect("./", clearedCookie(session.name, context.isSecure))
        : signIn(context, request)
    const cookies = request.headers.get("cookie") ?? ""
    if (await session.isValid(cookies, context.isSecure, context.now))
      return { actor: actor ?? { id: "dashboard", origin: context.address }, roles }
    return wantsPage(request) ? pageFor(context, request, 200) : undefined
  }
}
