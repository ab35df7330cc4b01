import { afterEach, assert, describe, it, vi } from "vitest"
import {
  type Authorize as Signing,
  type SignInContext,
  type SignInOptions,
  signInWithPassword,
} from "../src/index.ts"

const password = "correct horse battery"
const start = Date.UTC(2026, 10, 22)

interface Asked {
  readonly method?: string
  readonly path?: string
  readonly origin?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

const request = ({
  form,
  headers = {},
  method = "GET",
  origin = "http://host",
  path = "/admin/",
}: Asked) =>
  new Request(`${origin}${path}`, {
    method,
    headers,
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  })

type Sessions = SignInContext["sessions"]

/** The sessions of an engine. */
const memorySessions = () => {
  const found = new Map<string, { readonly id: string; readonly login: string }>()
  const begun: Array<Parameters<Sessions["begin"]>[0]> = []
  const sessions: Sessions = {
    begin: async (session) => {
      begun.push(session)
      found.set(`token${begun.length}`, { id: `s${begun.length}`, login: session.login })
      return `token${begun.length}`
    },
    find: async ({ login, token }) =>
      found.get(token)?.login === login ? found.get(token) : undefined,
    end: async ({ token }) => void found.delete(token),
  }
  return { begun, sessions }
}

const setup = (options: Partial<SignInOptions> = {}, given = memorySessions()) => {
  let now = start
  const signing: Signing = signInWithPassword({ password, now: () => now, ...options })
  const authorize = (asked: Request, source?: unknown, clientAddress?: string) =>
    signing(asked, source, { clientAddress, sessions: given.sessions })
  return { authorize, begun: given.begun, wait: (millis: number) => (now += millis) }
}

type Authorize = ReturnType<typeof setup>["authorize"]

const page = { accept: "text/html,application/xhtml+xml" }

const ask = async (authorize: Authorize, asked: Asked, address?: string): Promise<Response> => {
  const result = await authorize(request(asked), undefined, address)
  assert.instanceOf(result, Response)
  return result instanceof Response ? result : new Response()
}

const signIn = (authorize: Authorize, given = password, asked: Asked = {}, address?: string) =>
  ask(authorize, { ...asked, method: "POST", form: { password: given } }, address)

/** What a browser sends back. */
const cookieOf = (response: Response): string =>
  response.headers.getSetCookie()[0]?.split(";")[0] ?? ""

describe("without a session", () => {
  it("a page is the sign-in page, which needs no script and loads nothing", async () => {
    const response = await ask(setup().authorize, { headers: page, path: "/admin/org/acme" })
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("cache-control"), "no-store")
    const html = await response.text()
    assert.match(html, /<h1>Sign in<\/h1>/)
    assert.match(html, /<label for="password">Password<\/label>/)
    assert.match(html, /<button type="submit">Sign in<\/button>/)
    assert.notMatch(html, /<script|src=|https?:/)
  })

  it("the page's policy admits its own style by digest, and no script", async () => {
    const response = await ask(setup().authorize, { headers: page })
    const policy = response.headers.get("content-security-policy") ?? ""
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(await response.text()) ?? []
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style))
    assert.include(policy, `style-src 'sha256-${Buffer.from(bytes).toString("base64")}'`)
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "frame-ancestors 'none'")
    assert.notMatch(policy, /unsafe|script-src/)
  })

  it("the page is Bangla for readers who prefer it", async () => {
    const headers = { ...page, "accept-language": "fr, bn-BD;q=0.9, en;q=0.8" }
    const response = await ask(setup().authorize, { headers })
    assert.include(await response.text(), "পাসওয়ার্ড")
  })

  it.each([
    ["a program", {}],
    ["a fetch of a page's script", { headers: { accept: "application/json" } }],
    ["a write", { method: "POST", headers: { ...page, "content-type": "application/json" } }],
  ])("%s is refused", async (_, asked) => {
    assert.isUndefined(await setup().authorize(request(asked)))
  })
})

describe("the right password", () => {
  it("begins a session in the engine, and shows the page that was asked for", async () => {
    const { authorize, begun } = setup()
    const path = "/admin/org/acme/messages?phoneNumber=880"
    const asked = { path, headers: { "user-agent": "Firefox" } }
    const response = await signIn(authorize, password, asked, "192.0.2.1")
    assert.strictEqual(response.status, 303)
    assert.strictEqual(response.headers.get("location"), "./messages?phoneNumber=880")
    const [set = ""] = response.headers.getSetCookie()
    assert.match(
      set,
      /^countersign-[\w-]{8}=token1; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    const [login = ""] = set.split("=")
    assert.deepStrictEqual(begun, [{ login, address: "192.0.2.1", agent: "Firefox" }])
    const headers = { cookie: `other=1; ${cookieOf(response)}` }
    assert.deepStrictEqual(await authorize(request({ headers }), undefined), {
      actor: { id: "dashboard", origin: undefined },
      roles: ["operator"],
      session: { id: "s1", login },
    })
  })

  it.each([
    ["the address", { origin: "https://host" }],
    ["a proxy", { headers: { "x-forwarded-proto": "https" } }],
  ])(
    "begins a session for encrypted connections only, if %s says that this is one",
    async (_, asked) => {
      const { authorize } = setup()
      const response = await signIn(authorize, password, asked)
      const [set = ""] = response.headers.getSetCookie()
      assert.match(set, /^__Host-countersign-.*; Secure$/)
      const cookie = cookieOf(response)
      assert.isDefined(
        await authorize(
          request({ ...asked, headers: { ...("headers" in asked ? asked.headers : {}), cookie } }),
        ),
      )
      assert.isUndefined(await authorize(request({ headers: { cookie } })))
    },
  )

  it("begins a session for encrypted connections only, on a server of Node with TLS", async () => {
    const source = { socket: { encrypted: true } }
    const response = await setup().authorize(
      request({ method: "POST", form: { password } }),
      source,
    )
    const [set = ""] = response instanceof Response ? response.headers.getSetCookie() : []
    assert.match(set, /^__Host-countersign-.*; Secure$/)
  })

  it("gives the roles and the actor of the options", async () => {
    const { authorize } = setup({ roles: ["viewer", "support"], actor: { id: "desk" } })
    const headers = { cookie: cookieOf(await signIn(authorize)) }
    assert.deepInclude(await authorize(request({ headers })), {
      actor: { id: "desk" },
      roles: ["viewer", "support"],
    })
  })

  it("names the address of the client in the audit", async () => {
    const { authorize } = setup()
    const headers = { cookie: cookieOf(await signIn(authorize)) }
    const principal = await authorize(request({ headers }), undefined, "192.0.2.7")
    assert.deepInclude(principal, { actor: { id: "dashboard", origin: "192.0.2.7" } })
  })
})

describe("a session", () => {
  it("is valid on each node with the same password and secret, and on no other", async () => {
    const secret = "a secret of the host"
    const engine = memorySessions()
    const headers = { cookie: cookieOf(await signIn(setup({ secret }, engine).authorize)) }
    assert.isDefined(await setup({ secret }, engine).authorize(request({ headers })))
    assert.isUndefined(await setup({}, engine).authorize(request({ headers })))
    const other = setup({ secret, password: "another password" }, engine)
    assert.isUndefined(await other.authorize(request({ headers })))
  })

  it("cannot be forged", async () => {
    const { authorize } = setup()
    const cookie = cookieOf(await signIn(authorize))
    const [name = ""] = cookie.split("=")
    for (const forged of [`${name}=token2`, `${name}=`, name, `x${cookie}`, `__Host-${cookie}`])
      assert.isUndefined(await authorize(request({ headers: { cookie: forged } })), forged)
  })

  it("ends on the server with the button Sign out, so that a copied cookie is of no use", async () => {
    const { authorize } = setup()
    const headers = { cookie: cookieOf(await signIn(authorize)) }
    assert.isDefined(await authorize(request({ headers })))
    const response = await ask(authorize, {
      method: "POST",
      path: "/admin/sign-out",
      form: {},
      headers,
    })
    assert.strictEqual(response.status, 303)
    assert.strictEqual(response.headers.get("location"), "./")
    assert.match(
      response.headers.getSetCookie()[0] ?? "",
      /^countersign-[\w-]+=; Path=\/; Max-Age=0;/,
    )
    assert.isUndefined(await authorize(request({ headers })))
  })

  it("does not end or begin with a form of another site", async () => {
    const headers = { "sec-fetch-site": "cross-site" }
    for (const path of ["/admin/sign-out", "/admin/"])
      assert.isUndefined(
        await setup().authorize(request({ method: "POST", path, headers, form: { password } })),
      )
  })
})

describe("a wrong password", () => {
  it("says so at the field", async () => {
    const response = await signIn(setup().authorize, "correct horse batterz")
    assert.strictEqual(response.status, 401)
    const html = await response.text()
    assert.match(html, /role="alert">The password is wrong\. Try again\.</)
    assert.match(html, /aria-invalid="true" aria-describedby="problem"/)
    assert.deepStrictEqual(response.headers.getSetCookie(), [])
  })

  it("does not keep the right one out, however many came from its address", async () => {
    const { authorize } = setup()
    const statuses: Array<number> = []
    for (let tries = 0; tries < 40; tries++)
      statuses.push((await signIn(authorize, "wrong", {}, "192.0.2.1")).status)
    assert.deepStrictEqual([...new Set(statuses.slice(0, 10))], [401])
    assert.deepStrictEqual([...new Set(statuses.slice(10))], [429])
    assert.strictEqual((await signIn(authorize, password, {}, "192.0.2.1")).status, 303)
    assert.strictEqual((await signIn(authorize, "wrong", {}, "192.0.2.1")).status, 401)
  })

  describe("of a flood", () => {
    afterEach(() => void vi.useRealTimers())

    it("waits for its turn, and the last are refused unread; other addresses do not wait", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout"] })
      const { authorize } = setup()
      const flood = Array.from({ length: 120 }, () => signIn(authorize, "wrong", {}, "192.0.2.1"))
      assert.strictEqual((await signIn(authorize, password, {}, "192.0.2.2")).status, 303)
      const busy = await signIn(authorize, password, {}, "192.0.2.1")
      assert.strictEqual(busy.status, 429)
      assert.strictEqual(busy.headers.get("retry-after"), "10")
      assert.include(await busy.text(), "Too many passwords are being tried")
      await vi.advanceTimersByTimeAsync(10_000)
      assert.strictEqual((await Promise.all(flood)).length, 120)
    })
  })
})

it.each([
  ["no password", { password: undefined }, "password"],
  ["a short password", { password: "short" }, "password"],
  ["a password of the documents", { password: "correct horse battery staple" }, "documents"],
  ["a short secret", { password, secret: "short" }, "secret"],
  ["no role", { password, roles: [] }, "roles"],
])("%s is a TypeError that names the option", (_, options, name) => {
  assert.throws(() => signInWithPassword(options), TypeError, name)
})
