import { type Login, makeLogin, sessionCookie, tokenOf } from "./session.ts"
import { signInPage } from "./signInPage.ts"
import { makeTries, makeTurns, type TakeTurn, type Tries } from "./tries.ts"

/** A role of the admin API for all organizations. */
export type DashboardRole = "operator" | "support" | "billing" | "viewer"

/** An operator who has signed in: the `Principal` of the admin API. */
export interface SignedIn {
  readonly actor: { readonly id: string; readonly origin?: string | undefined }
  readonly roles: ReadonlyArray<DashboardRole>
  readonly session: { readonly id: string; readonly login: string }
}

/** The context that `countersign.admin` passes to `authorize` besides the request. */
export interface SignInContext {
  /** The address of the client, past trusted proxies. `undefined`: the mount does not know it. */
  readonly clientAddress: string | undefined
  /** Keeps the sessions in the database of the engine. */
  readonly sessions: {
    /** Begins a session of 12 hours and returns its token. */
    readonly begin: (session: {
      readonly login: string
      readonly address?: string | undefined
      readonly agent?: string | undefined
    }) => Promise<string>
    /** Returns the session of a token; `undefined` if it has ended. */
    readonly find: (token: {
      readonly login: string
      readonly token: string
    }) => Promise<SignedIn["session"] | undefined>
    /** Ends the session of a token. */
    readonly end: (token: { readonly login: string; readonly token: string }) => Promise<void>
  }
}

/** The `authorize` of the options of `countersign.admin`. */
export type Authorize = (
  request: Request,
  source: unknown,
  context: SignInContext,
) => Promise<SignedIn | Response | undefined>

/** Options of the sign-in by password. */
export interface SignInOptions {
  /** At least 12 characters, and none of the documents. A new password ends the sessions of the one before. */
  readonly password: string | undefined
  /**
   * At least 16 characters. The database stores a slow digest of the password and this secret as the name of the
   * login. Without the secret, a person with a dump of the database can check guesses of a weak password.
   * @defaultValue none
   */
  readonly secret?: string | undefined
  /** The roles of a person with the password. @defaultValue `["operator"]` */
  readonly roles?: ReadonlyArray<DashboardRole> | undefined
  /** Named in the audit. @defaultValue `{ id: "dashboard" }` with the client's address as `origin`, if it is known */
  readonly actor?: SignedIn["actor"] | undefined
  /** The name on the page. @defaultValue `Countersign` */
  readonly name?: string | undefined
  /** The current time in milliseconds since the epoch. @defaultValue the clock of the system */
  readonly now?: (() => number) | undefined
}

// oxlint-disable-next-line eslint/no-restricted-properties -- the package has no Clock, and tests pass a time
const systemNow = (): number => Date.now()

/** The body of a sign-in is one password. */
const maxBody = 4_096

const checkOptions = ({ password, roles, secret }: SignInOptions): string => {
  if (typeof password !== "string" || password.length < 12)
    throw new TypeError(
      "password must have at least 12 characters: draw one with `openssl rand -base64 18`",
    )
  // The password of our documents is public.
  if (password === "correct horse battery staple")
    throw new TypeError(
      "password: this one stands in the documents; draw your own with `openssl rand -base64 18`",
    )
  if (secret !== undefined && secret.length < 16)
    throw new TypeError("secret must have at least 16 characters")
  if (roles !== undefined && roles.length === 0) throw new TypeError("roles must not be empty")
  return password
}

/** Whether the browser's connection is encrypted, though the last proxy's may not be. A `source` of Node has a socket. */
const isSecure = (request: Request, source: unknown): boolean =>
  request.url.startsWith("https:") ||
  request.headers.get("x-forwarded-proto") === "https" ||
  Reflect.get(Object(Reflect.get(Object(source), "socket")), "encrypted") === true

/** Whether the request asks for a page: then it gets the sign-in page instead. */
const wantsPage = ({ headers, method }: Request): boolean =>
  method === "GET" && (headers.get("accept") ?? "").includes("text/html")

/** Whether the request is a form of this site. Other forms change nothing. The admin API checks its own requests. */
const isOwnForm = ({ headers, method }: Request): boolean =>
  method === "POST" &&
  (headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded") &&
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

interface Context extends SignInContext {
  readonly name: string | undefined
  readonly login: Login
  readonly isSecure: boolean
}

const after = (millis: number): Promise<void> =>
  millis === 0 ? Promise.resolve() : new Promise((resolve) => void setTimeout(resolve, millis))

/** The limits of a node, which forget everything when it stops. */
interface Limits {
  readonly tries: Tries
  /** The turns of addresses within their limit. */
  readonly takeTurn: TakeTurn
  /** The turns of the other addresses. */
  readonly takeLateTurn: TakeTurn
}

/**
 * Judges every password, also after many wrong ones from its address: behind a proxy, they may be a stranger's.
 * The turns bound the number of guesses.
 */
const signIn = async (
  context: Context,
  { takeLateTurn, takeTurn, tries }: Limits,
  now: number,
  request: Request,
): Promise<Response> => {
  const { clientAddress: address, login, name, sessions } = context
  const isWithin = tries.admit(address ?? "", now)
  const wait = (isWithin ? takeTurn : takeLateTurn)(now)
  if (wait === undefined) return signInPage(request, name, 429, "busy")
  const body = new URLSearchParams((await request.text()).slice(0, maxBody))
  await after(wait)
  if (!(await login.isPassword(body.get("password") ?? "")))
    return isWithin
      ? signInPage(request, name, 401, "wrong")
      : signInPage(request, name, 429, "limited")
  tries.clear(address ?? "")
  const agent = request.headers.get("user-agent") ?? undefined
  const token = await sessions.begin({ login: login.name, address, agent })
  return redirect(samePage(request), sessionCookie(login.name, token, context.isSecure))
}

const signOut = async (
  { isSecure, login: { name }, sessions }: Context,
  token: string | undefined,
): Promise<Response> => {
  if (token !== undefined) await sessions.end({ login: name, token })
  return redirect("./", sessionCookie(name, "", isSecure))
}

/**
 * Returns an `authorize` for a mount of the admin API that asks for one password. Pages are answered with a sign-in
 * page, and other requests with 401. A session lasts 12 hours, and is in the database: it ends on every node. A
 * node judges at most ten passwords a second: five from addresses with fewer than ten tries in a minute, and five
 * from the others. Throws a `TypeError` for invalid options.
 */
export const signInWithPassword = (options: SignInOptions): Authorize => {
  const password = checkOptions(options)
  const { actor, name, now = systemNow, roles = ["operator"], secret } = options
  const limits = { tries: makeTries(), takeTurn: makeTurns(), takeLateTurn: makeTurns() }
  let making: Promise<Login> | undefined
  return async (request, source, given) => {
    making ??= makeLogin(password, secret)
    const login = await making
    const context: Context = { ...given, name, login, isSecure: isSecure(request, source) }
    const cookies = request.headers.get("cookie") ?? ""
    const token = tokenOf(cookies, login.name, context.isSecure)
    if (isOwnForm(request))
      return new URL(request.url).pathname.endsWith("/sign-out")
        ? signOut(context, token)
        : signIn(context, limits, now(), request)
    const session =
      token === undefined ? undefined : await given.sessions.find({ login: login.name, token })
    if (session !== undefined)
      return { actor: actor ?? { id: "dashboard", origin: given.clientAddress }, roles, session }
    return wantsPage(request) ? signInPage(request, name, 200) : undefined
  }
}
