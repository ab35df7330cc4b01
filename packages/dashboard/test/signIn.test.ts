import { assert, describe, it } from "vitest"
import { type Authorize, type SignInOptions, signInWithPassword } from "../src/index.ts"

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

const setup = (options: Partial<SignInOptions> = {}) => {
  let now = start
  const authorize = signInWithPassword({ password, now: () => now, ...options })
  return { authorize, wait: (millis: number) => (now += millis) }
}

const page = { accept: "text/html,application/xhtml+xml" }

const ask = async (authorize: Authorize, asked: Asked, address?: string): Promise<Response> => {
  const result = await authorize(request(asked), { socket: { remoteAddress: address } })
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
  it("begins a session that the browser alone holds, and shows the page that was asked for", async () => {
    const { authorize } = setup()
    const path = "/admin/org/acme/messages?phoneNumber=880"
    const response = await signIn(authorize, password, { path })
    assert.strictEqual(response.status, 303)
    assert.strictEqual(response.headers.get("location"), "./messages?phoneNumber=880")
    const [set = ""] = response.headers.getSetCookie()
    assert.match(
      set,
      /^countersign-[\w-]{8}=\d{13}\.[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    const headers = { cookie: `other=1; ${cookieOf(response)}` }
    assert.deepStrictEqual(await authorize(request({ headers }), undefined), {
      actor: { id: "dashboard", origin: undefined },
      roles: ["admin"],
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
    const { authorize } = setup({ roles: ["read", "support"], actor: { id: "desk" } })
    const headers = { cookie: cookieOf(await signIn(authorize)) }
    assert.deepStrictEqual(await authorize(request({ headers })), {
      actor: { id: "desk" },
      roles: ["read", "support"],
    })
  })

  it("names the address of the peer in the audit", async () => {
    const { authorize } = setup()
    const headers = { cookie: cookieOf(await signIn(authorize)) }
    const source = { socket: { remoteAddress: "192.0.2.7" } }
    const principal = await authorize(request({ headers }), source)
    assert.deepInclude(principal, { actor: { id: "dashboard", origin: "192.0.2.7" } })
  })
})

describe("a session", () => {
  it("ends after 12 hours", async () => {
    const { authorize, wait } = setup()
    const headers = { cookie: cookieOf(await signIn(authorize)) }
    wait(12 * 3_600_000 - 1)
    assert.isDefined(await authorize(request({ headers })))
    wait(1)
    assert.isUndefined(await authorize(request({ headers })))
  })

  it("is valid after a restart with the same password and secret, and with no other", async () => {
    const secret = "a secret of the host"
    const headers = { cookie: cookieOf(await signIn(setup({ secret }).authorize)) }
    assert.isDefined(await setup({ secret }).authorize(request({ headers })))
    assert.isUndefined(await setup().authorize(request({ headers })))
    const other = setup({ secret, password: "another password" })
    assert.isUndefined(await other.authorize(request({ headers })))
  })

  it("cannot be made longer or forged", async () => {
    const { authorize } = setup()
    const cookie = cookieOf(await signIn(authorize))
    const [name = "", end = "", signature = ""] = cookie.split(/[=.]/)
    for (const forged of [
      `${name}=${Number(end) + 1}.${signature}`,
      `${name}=${end}.${"A".repeat(43)}`,
      `${name}=${end}.`,
      `${name}=`,
      `x${cookie}`,
    ])
      assert.isUndefined(await authorize(request({ headers: { cookie: forged } })), forged)
  })

  it("ends with the button Sign out", async () => {
    const response = await ask(setup().authorize, {
      method: "POST",
      path: "/admin/sign-out",
      form: {},
    })
    assert.strictEqual(response.status, 303)
    assert.strictEqual(response.headers.get("location"), "./")
    assert.match(
      response.headers.getSetCookie()[0] ?? "",
      /^countersign-[\w-]+=; Path=\/; Max-Age=0;/,
    )
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

  it("is refused unread after ten in a minute from an address, as is the right one then", async () => {
    const { authorize, wait } = setup()
    for (let tries = 0; tries < 10; tries++)
      assert.strictEqual((await signIn(authorize, "wrong", {}, "192.0.2.1")).status, 401)
    const refused = await signIn(authorize, password, {}, "192.0.2.1")
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers.get("retry-after"), "60")
    assert.strictEqual((await signIn(authorize, password, {}, "192.0.2.2")).status, 303)
    wait(60_000)
    assert.strictEqual((await signIn(authorize, password, {}, "192.0.2.1")).status, 303)
  })

  it("from many addresses is limited together, once there are too many to count", async () => {
    const { authorize } = setup()
    const statuses: Array<number> = []
    for (let index = 0; index < 1_012; index++)
      statuses.push((await signIn(authorize, "wrong", {}, `2001:db8::${index}`)).status)
    assert.deepStrictEqual([...new Set(statuses.slice(0, 1_009))], [401])
    assert.deepStrictEqual(statuses.slice(-2), [429, 429])
  })

  it("is counted for a minute, however many addresses come meanwhile", async () => {
    const { authorize, wait } = setup()
    const statusOf = async (address: string) =>
      (await signIn(authorize, "wrong", {}, address)).status
    await statusOf("192.0.2.1")
    wait(59_000)
    for (let tries = 0; tries < 9; tries++) await statusOf("192.0.2.1")
    for (let index = 0; index < 999; index++) await statusOf(`2001:db8::${index}`)
    wait(1_000)
    assert.strictEqual(await statusOf("2001:db8::ffff"), 401)
    assert.strictEqual(await statusOf("192.0.2.1"), 401)
    assert.strictEqual(await statusOf("192.0.2.1"), 429)
  })
})

it.each([
  ["a short password", { password: "short" }, "password"],
  ["a short secret", { password, secret: "short" }, "secret"],
  ["no role", { password, roles: [] }, "roles"],
])("%s is a TypeError that names the option", (_, options, name) => {
  assert.throws(() => signInWithPassword(options), TypeError, name)
})
