/**
 * The sign-in with a provider by OpenID Connect: the authorization code flow with PKCE, `state` and `nonce`. Its
 * sessions are in the engine's database. The module is loaded only by mounts with `signIn`.
 */
import * as Client from "openid-client"
import type {
  Authorize,
  AuthorizeContext,
  LoginSession,
  Principal,
  SignInOptions,
} from "../AdminOptions.ts"
import { hasRoles, personOf, settingsOf, type SignInSettings } from "../SignInSettings.ts"
import { type Content, signInPage } from "./signInPages.ts"

/** As long as the engine keeps a session. */
const sessionSeconds = 12 * 3_600

/** How long a person may take at the provider. */
const flowSeconds = 600

/** How long a request to the provider may take. */
const timeoutSeconds = 10

const signOutPath = "/sign-out"

const slugOf = (clientId: string): string => clientId.replaceAll(/[^\w-]/g, "-").slice(0, 60)

const cookieName = ({ clientId, url }: SignInSettings, suffix = ""): string =>
  `${url.startsWith("https:") ? "__Host-" : ""}countersign-${slugOf(clientId)}${suffix}`

/**
 * A cookie; an empty value removes it. `Lax`, because the answer of the provider is a navigation from its site. The
 * admin API refuses requests of other sites by itself.
 */
const cookieOf = (settings: SignInSettings, value: string, suffix?: string): string => {
  const seconds = value === "" ? 0 : suffix === undefined ? sessionSeconds : flowSeconds
  const secure = settings.url.startsWith("https:") ? "; Secure" : ""
  return `${cookieName(settings, suffix)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** As much of an ID token as a cookie can have. A longer one is not kept, and the provider may ask who signs out. */
const maxHintLength = 3_500

/**
 * A cookie with the ID token, for the sign-out only; an empty value removes it. It tells the provider whose session
 * ends. Only its own browser has it, so the engine stores no token.
 */
const hintCookieOf = ({ clientId, url }: SignInSettings, idToken: string) => {
  const { pathname, protocol } = new URL(`${url}${signOutPath}`)
  const isSecure = protocol === "https:"
  const name = `${isSecure ? "__Secure-" : ""}countersign-${slugOf(clientId)}-hint`
  const seconds = idToken === "" ? 0 : sessionSeconds
  const cookie = `${name}=${idToken}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`
  return { name, cookie: isSecure ? `${cookie}; Secure` : cookie }
}

const readCookie = (request: Request, name: string): string | undefined =>
  (request.headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1)

const redirect = (location: string, ...cookies: ReadonlyArray<string>): Response => {
  const headers = new Headers({ location, "cache-control": "no-store" })
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return new Response(null, { status: 303, headers })
}

/** The values that the browser keeps while the person is at the provider. */
interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The page that the person asked for. */
  readonly to: string
}

const flowText = ({ nonce, state, to, verifier }: Flow): string =>
  [state, nonce, verifier, encodeURIComponent(to)].join(".")

const readFlow = (text: string | undefined): Flow | undefined => {
  const [state, nonce, verifier, ...rest] = (text ?? "").split(".")
  if (!state || !nonce || !verifier) return undefined
  try {
    return { state, nonce, verifier, to: decodeURIComponent(rest.join(".")) }
  } catch {
    return undefined
  }
}

/** A page below the mount. Anything else leads to its first page. */
const pageOf = (to: string | null): string => (to?.startsWith("/") === true ? to : "/")

const discover = ({ clientId, clientSecret, issuer }: SignInSettings) =>
  Client.discovery(issuer, clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    // `settingsOf` has allowed it on this machine only.
    ...(issuer.protocol === "http:" && { execute: [Client.allowInsecureRequests] }),
  })

/** Loads the provider's description once. After an error, the next sign-in tries again. */
const makeProvider = (settings: SignInSettings) => {
  let found: Promise<Client.Configuration> | undefined
  return () => {
    found ??= discover(settings).catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
}

interface Context {
  readonly settings: SignInSettings
  readonly provider: () => Promise<Client.Configuration>
  /** Reports an error that the page does not show. */
  readonly report: (error: unknown) => void
  readonly request: Request
  readonly given: AuthorizeContext
}

const page = (
  { request, settings: { organizationClaim, providerName, roles, url } }: Context,
  content: Omit<Content, "link" | "values"> & {
    readonly text: Content["link"]["text"]
    readonly to?: string
    readonly href?: string
    readonly values?: Content["values"]
  },
  cookies?: ReadonlyArray<string>,
): Promise<Response> => {
  const { href, text, to = "/", values, ...rest } = content
  const link = { href: href ?? `${url}/sign-in?to=${encodeURIComponent(to)}`, text }
  const known = {
    provider: providerName,
    claim: organizationClaim,
    values: [...roles].map(([value, role]) => `${value} (${role})`).join(", "),
  }
  return signInPage(request, { ...rest, link, values: { ...known, ...values } }, cookies)
}

const unavailable = (context: Context, error: unknown): Promise<Response> => {
  context.report(error)
  return page(context, { status: 502, title: "title", problem: "unavailable", text: "again" })
}

/** Sends the person to the provider. */
const start = async (context: Context): Promise<Response> => {
  const { provider, request, settings } = context
  const flow: Flow = {
    state: Client.randomState(),
    nonce: Client.randomNonce(),
    verifier: Client.randomPKCECodeVerifier(),
    to: pageOf(new URL(request.url).searchParams.get("to")),
  }
  const address = Client.buildAuthorizationUrl(await provider(), {
    redirect_uri: `${settings.url}/sign-in/callback`,
    scope: settings.scope,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await Client.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: "S256",
    // A person who was refused chooses another account.
    ...(new URL(request.url).searchParams.has("other") && { prompt: "login" }),
  })
  return redirect(address.href, cookieOf(settings, flowText(flow), "-flow"))
}

interface SignedIn {
  readonly claims: Client.IDToken
  readonly idToken: string
}

/** The claims of a person: the claims of the ID token, and of the UserInfo endpoint if the ID token has no roles. */
const claimsOf = async (context: Context, { state, nonce, verifier }: Flow): Promise<SignedIn> => {
  const { provider, request, settings } = context
  const found = await provider()
  const { search } = new URL(request.url)
  const tokens = await Client.authorizationCodeGrant(
    found,
    new URL(`${settings.url}/sign-in/callback${search}`),
    { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
  )
  const claims = tokens.claims()
  const { access_token: accessToken, id_token: idToken } = tokens
  if (claims === undefined || idToken === undefined)
    throw new Error("The provider gave no ID token")
  if (hasRoles(settings, claims) || found.serverMetadata().userinfo_endpoint === undefined)
    return { claims, idToken }
  const others = await Client.fetchUserInfo(found, accessToken, claims.sub)
  return { claims: { ...claims, ...others }, idToken }
}

/** Begins the session of a person who comes back from the provider. */
const finish = async (context: Context): Promise<Response> => {
  const { given, request, settings } = context
  const flow = readFlow(readCookie(request, cookieName(settings, "-flow")))
  const over = [cookieOf(settings, "", "-flow")]
  if (flow === undefined || new URL(request.url).searchParams.get("state") !== flow.state)
    return page(context, { status: 400, title: "title", problem: "state", text: "again" }, over)
  const { to } = flow
  try {
    const { claims, idToken } = await claimsOf(context, flow)
    const person = personOf(settings, claims.sub, claims)
    if ("missing" in person) {
      const { missing: problem, name } = person
      const href = `${settings.url}/sign-in?other&to=${encodeURIComponent(to)}`
      const values = { name }
      const content = { status: 403, title: "title", problem, text: "other", href, values } as const
      return await page(context, content, over)
    }
    const agent = request.headers.get("user-agent") ?? undefined
    const session = { login: cookieName(settings), address: given.clientAddress, agent, person }
    const token = await given.sessions.begin(session)
    const hint = hintCookieOf(settings, idToken.length > maxHintLength ? "" : idToken)
    return redirect(`${settings.url}${to}`, cookieOf(settings, token), hint.cookie, ...over)
  } catch (error) {
    if (!(error instanceof Client.AuthorizationResponseError)) return unavailable(context, error)
    const values = { error: error.error_description ?? error.error }
    const content = { status: 403, title: "title", problem: "provider", text: "again" } as const
    return page(context, { ...content, to, values }, over)
  }
}

/** Ends the session here, and sends the browser to the provider's sign-out if it has one. */
const signOut = async (context: Context, token: string | undefined): Promise<Response> => {
  const { given, provider, request, settings } = context
  if (token !== undefined) await given.sessions.end({ login: cookieName(settings), token })
  const { cookie, name } = hintCookieOf(settings, "")
  const hint = readCookie(request, name)
  const over = [cookieOf(settings, ""), cookie]
  const back = `${settings.url}/`
  const found = await provider().catch(context.report)
  if (found?.serverMetadata().end_session_endpoint === undefined) return redirect(back, ...over)
  const next = Client.buildEndSessionUrl(found, {
    post_logout_redirect_uri: back,
    ...(hint && { id_token_hint: hint }),
  }).href
  // Not a redirect: the policy of the pages lets a form lead to this site only.
  const content = { status: 200, title: "signedOut", text: "leave", href: next, next } as const
  return page(context, content, over)
}

const principalOf = (
  { id, login, person }: LoginSession,
  origin: string | undefined,
): Principal | undefined => {
  if (!person) return undefined
  const { organizations, roles } = person
  return {
    actor: { id: person.id, name: person.name, origin },
    roles,
    ...(organizations !== null && { organizations }),
    session: { id, login, person },
  }
}

/** Returns the `authorize` of a mount. Throws a `TypeError` for invalid options. */
export const makeAuthorize = (
  options: SignInOptions,
  report: (error: unknown) => void,
): Authorize => {
  const settings = settingsOf(options)
  const provider = makeProvider(settings)
  return async (request, _, given) => {
    const context: Context = { settings, provider, report, request, given }
    const isRead = request.method === "GET"
    if (isRead && given.path === "/sign-in")
      return start(context).catch((error: unknown) => unavailable(context, error))
    if (isRead && given.path === "/sign-in/callback") return finish(context)
    const token = readCookie(request, cookieName(settings))
    if (request.method === "POST" && given.path === signOutPath) return signOut(context, token)
    const session =
      token === undefined
        ? undefined
        : await given.sessions.find({ login: cookieName(settings), token })
    const principal = session && principalOf(session, given.clientAddress)
    if (principal !== undefined) return principal
    const wantsPage = (request.headers.get("accept") ?? "").includes("text/html")
    if (!isRead || !wantsPage || given.path.startsWith("/api/")) return undefined
    const to = `${given.path}${new URL(request.url).search}`
    return page(context, { status: 200, title: "title", text: "button", to })
  }
}
