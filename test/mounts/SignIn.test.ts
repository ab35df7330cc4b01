/**
 * The sign-in with a provider, over HTTP: the real `oidc-provider`, and a browser that follows every redirect and keeps
 * cookies.
 */
import { dashboard } from "@countersign/dashboard"
import { createTestClock, type AdminOptions, type SignInOptions } from "countersign"
import { assert, describe, expect, it } from "vitest"
import { quietEngine, serving } from "../support/adminMounts.ts"
import { clientId, clientSecret, type People, serveProvider } from "../support/oidcProvider.ts"

const people: People = {
  olga: { name: "Olga Rahman", roles: ["sms-operators", "printers"] },
  rita: { name: "রীতা", roles: ["sms-support"] },
  tariq: { name: "Tariq", roles: ["sms-tenants"], organizations: ["alpha", "beta", "gone"] },
  lost: { name: "Lost", roles: ["sms-tenants"] },
  guest: { name: "<b>Guest</b>", roles: ["printers"] },
}

const roles: SignInOptions["roles"] = {
  "sms-operators": "operator",
  "sms-support": "support",
  "sms-tenants": "tenant",
}

/** A browser without scripts: it keeps the cookies of this machine, and follows redirects one by one. */
const browser = () => {
  const cookies = new Map<string, string>()
  const received: Array<string> = []
  const visit = async (address: string, init: RequestInit = {}) => {
    let url = address
    let options = init
    for (let hops = 0; hops < 12; hops++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const response = await fetch(url, {
        ...options,
        headers: { accept: "text/html", cookie, ...options.headers },
        redirect: "manual",
      })
      for (const set of response.headers.getSetCookie()) {
        received.push(set)
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (value === "") cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = response.headers.get("location")
      if (location === null) return { url, status: response.status, text: await response.text() }
      url = new URL(location, url).href
      options = {}
    }
    return assert.fail(`too many redirects at ${url}`)
  }
  /** Follows the only link of a page, as one does with the button. */
  const follow = async ({ text }: { readonly text: string }) =>
    visit((/<a href="([^"]+)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&"))
  /** Sends the form of a page. */
  const send = ({ url }: { readonly url: string }, fields: Record<string, string>) =>
    visit(url, { method: "POST", body: new URLSearchParams(fields) })
  return { cookies, received, visit, follow, send }
}

/** Where the form of a page of the provider leads. */
const actionOf = (text: string): string => /action="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)

const hiddenIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  )

/** A provider, and two mounts of one database: two nodes behind one address. */
const setup = async (more: Partial<SignInOptions> = {}) => {
  const clock = createTestClock()
  const engine = await quietEngine({ clock })
  for (const id of ["alpha", "beta"]) await engine.organizations.create({ id })
  let listener: Parameters<typeof serving>[0] = (_, response) => void response.end()
  const server = await serving((request, response) => listener(request, response))
  const provider = await serveProvider(people, { url: server.base })
  const options: AdminOptions = {
    signIn: { issuer: provider.issuer, clientId, clientSecret, url: server.base, roles, ...more },
    pages: dashboard({ signOutUrl: "sign-out" }),
    basePath: "/dashboard",
  }
  listener = engine.admin(options).listener
  const other = await serving(engine.admin(options).listener)
  const own = browser()
  const signIn = async (account: string, path = "/") => {
    const asked = await own.visit(`${server.base}${path}`)
    return own.send(await own.follow(asked), { account })
  }
  const api = async (path: string, base = server.base, method = "GET") => {
    const { status, text } = await own.visit(`${base}/api/${path}`, {
      method,
      ...(method === "POST" && { body: "{}" }),
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    })
    return { status, body: text === "" ? undefined : JSON.parse(text) }
  }
  return {
    ...own,
    api,
    clock,
    engine,
    issuer: provider.issuer,
    other: other.base,
    signIn,
    url: server.base,
    [Symbol.asyncDispose]: async () => {
      for (const one of [server, other, provider]) one[Symbol.dispose]()
      await engine.dispose()
    },
  }
}

describe("a sign-in with a provider", () => {
  it("leads to the page that was asked for, with the roles of the person", async () => {
    await using world = await setup()
    const path = "/org/alpha/messages?phoneNumber=880"
    const asked = await world.visit(`${world.url}${path}`)
    assert.deepInclude(asked, { status: 200, url: `${world.url}${path}` })
    assert.include(asked.text, `Sign in with ${new URL(world.issuer).host}`)
    assert.strictEqual((await world.api("session")).status, 401)
    const shown = await world.send(await world.follow(asked), { account: "olga" })
    assert.deepInclude(shown, { status: 200, url: `${world.url}${path}` })
    assert.include(shown.text, `<div id="root">`)
    const { body } = await world.api("session")
    assert.deepInclude(body, {
      actor: { id: "olga", name: "Olga Rahman", origin: "127.0.0.1" },
      roles: ["operator"],
      organizations: null,
      masksNumbers: false,
      hasLoginSessions: true,
    })
    // Nothing of the provider is kept but the session.
    assert.deepStrictEqual(
      [...world.cookies.keys()].filter((name) => name.includes("-flow")),
      [],
    )
    await world.api("organizations/alpha/suspend", world.url, "POST")
    const { items } = await world.engine.organization("alpha").audit.list()
    assert.deepInclude(items[0], { actor: "olga", actorName: "Olga Rahman" })
  })

  it("shows a tenant of two organizations both, and no other", async () => {
    await using world = await setup()
    await world.signIn("tariq")
    const { body } = await world.api("organizations")
    assert.deepStrictEqual(
      body.organizations.map(({ id }: { id: string }) => id),
      ["alpha", "beta"],
    )
    assert.strictEqual((await world.api("organizations/beta/balance")).status, 200)
    assert.strictEqual((await world.api("organizations/default/balance")).status, 404)
    assert.strictEqual((await world.api("gateways")).status, 403)
  })

  it("finds roles in a claim inside of another one, and asks the provider for what the token lacks", async () => {
    const realm = { name: "Karim", realm_access: { roles: ["sms-support"] } }
    Reflect.set(people, "karim", realm)
    await using world = await setup({ roleClaim: "realm_access.roles" })
    await world.signIn("karim")
    assert.deepInclude((await world.api("session")).body, {
      roles: ["support"],
      masksNumbers: true,
    })
  })

  it.each([
    ["guest", "Ask for one of these roles: sms-operators (operator), sms-support (support)"],
    ["lost", "The role tenant needs the claim organizations"],
  ])("refuses %s with a page that says what is missing", async (account, sentence) => {
    await using world = await setup()
    const refused = await world.signIn(account)
    assert.strictEqual(refused.status, 403)
    assert.include(refused.text, sentence)
    assert.notInclude(refused.text, "<b>")
    assert.strictEqual((await world.api("session")).status, 401)
    // The provider asks again who one is, although it knows.
    const again = await world.follow(refused)
    assert.include(again.text, "Who are you?")
    // Its page ends the session of the other account by a form that a script sends.
    const left = await world.send(again, { account: "olga" })
    const shown = await world.send({ url: actionOf(left.text) }, hiddenIn(left.text))
    assert.include(shown.text, `<div id="root">`)
  })

  it("shows the error of the provider, and begins again", async () => {
    await using world = await setup()
    const refused = await world.signIn("stranger", "/org/beta")
    assert.strictEqual(refused.status, 403)
    assert.include(refused.text, "refused the sign-in: this account is not &lt;allowed&gt;.")
    const shown = await world.send(await world.follow(refused), { account: "olga" })
    assert.deepInclude(shown, { status: 200, url: `${world.url}/org/beta` })
  })

  it("refuses an answer that it has not asked for in this browser", async () => {
    await using world = await setup()
    const callback = `${world.url}/sign-in/callback`
    const uninvited = await world.visit(`${callback}?code=stolen&state=theirs`)
    assert.strictEqual(uninvited.status, 400)
    assert.include(uninvited.text, "began in another browser or too long ago")
    // The state of another sign-in.
    await world.follow(await world.visit(`${world.url}/`))
    const other = await world.visit(`${callback}?code=stolen&state=theirs`)
    assert.strictEqual(other.status, 400)
    // The own state with a code that the provider does not know.
    await world.follow(await world.visit(`${world.url}/`))
    const flow = [...world.cookies].find(([name]) => name.endsWith("-flow"))?.[1] ?? ""
    const forged = await world.visit(
      `${callback}?code=stolen&state=${flow.split(".")[0]}&iss=${encodeURIComponent(world.issuer)}`,
    )
    assert.strictEqual(forged.status, 502)
    assert.strictEqual((await world.api("session")).status, 401)
  })

  it("leads to no other site for any page that was asked for", async () => {
    await using world = await setup()
    for (const to of ["https://evil.example/", "//evil.example", "@evil.example"]) {
      await world.visit(`${world.url}/sign-in?to=${encodeURIComponent(to)}`)
      const start = await world.visit(`${world.url}/sign-in?to=${encodeURIComponent(to)}`)
      const shown = await world.send(start, { account: "olga" }).catch(() => start)
      assert.match(shown.url, /^http:\/\/127\.0\.0\.1:/)
      world.cookies.clear()
    }
  })

  it("says that the provider is away, and works once it is back", async () => {
    await using world = await setup({ issuer: "http://127.0.0.1:9" })
    const away = await world.follow(await world.visit(`${world.url}/`))
    assert.strictEqual(away.status, 502)
    assert.include(away.text, "did not answer as expected")
  })
})

describe("a session of a provider's person", () => {
  it("ends after 12 hours", async () => {
    await using world = await setup()
    await world.signIn("olga")
    world.clock.advance("11 hours")
    assert.strictEqual((await world.api("session")).status, 200)
    world.clock.advance("1 hour")
    assert.strictEqual((await world.api("session")).status, 401)
    assert.include((await world.visit(`${world.url}/`)).text, "Sign in with")
  })

  it("is listed to its person, and to operators those of all people, and ended on every node", async () => {
    await using world = await setup()
    await world.signIn("tariq")
    const tariq = new Map(world.cookies)
    world.cookies.clear()
    await world.signIn("olga")
    const { body } = await world.api("sessions")
    assert.deepStrictEqual(
      body.sessions.map((one: Record<string, unknown>) => [
        one["name"],
        one["roles"],
        one["isCurrent"],
      ]),
      [
        ["Olga Rahman", ["operator"], true],
        ["Tariq", ["tenant"], false],
      ],
    )
    const [{ id: operators }, { id: theirs }] = body.sessions
    const as = (cookies: ReadonlyMap<string, string>) => {
      world.cookies.clear()
      for (const [name, value] of cookies) world.cookies.set(name, value)
    }
    const olga = new Map(world.cookies)
    as(tariq)
    assert.lengthOf((await world.api("sessions")).body.sessions, 1)
    const end = (id: string) => world.api(`sessions/${id}/end`, world.url, "POST")
    assert.strictEqual((await end(operators)).status, 404)
    assert.strictEqual((await world.api("session", world.other)).status, 200)
    as(olga)
    assert.strictEqual((await end(theirs)).status, 204)
    assert.strictEqual((await end(theirs)).status, 404)
    as(tariq)
    assert.strictEqual((await world.api("session", world.other)).status, 401)
    assert.strictEqual((await world.api("session")).status, 401)
    as(olga)
    assert.strictEqual((await world.api("sessions/end", world.url, "POST")).status, 204)
    assert.strictEqual((await world.api("session", world.other)).status, 401)
  })

  it("ends at the provider as well when its person signs out", async () => {
    await using world = await setup()
    await world.signIn("olga")
    const cookies = new Map(world.cookies)
    const out = await world.visit(`${world.url}/sign-out`, {
      method: "POST",
      body: new URLSearchParams(),
      headers: { "sec-fetch-site": "same-origin" },
    })
    assert.include(out.text, "You are signed out")
    const [, next = ""] =
      /<meta http-equiv="refresh" content="0;url=(http:\/\/127[^"]+)"/.exec(out.text) ?? []
    // Says whose session ends, so that providers need not ask.
    const hint = new URL(next.replaceAll("&amp;", "&")).searchParams.get("id_token_hint") ?? ""
    const claims = JSON.parse(Buffer.from(hint.split(".")[1] ?? "", "base64url").toString())
    assert.deepInclude(claims, { sub: "olga", aud: clientId })
    const path = `${new URL(world.url).pathname}/sign-out`.replace("//", "/")
    assert.include(world.received.join("\n"), `=${hint}; Max-Age=43200; Path=${path}; HttpOnly`)
    assert.deepStrictEqual(
      [...world.cookies.keys()].filter((name) => /countersign/.test(name)),
      [],
    )
    for (const [name, value] of cookies)
      if (name.startsWith("countersign")) world.cookies.set(name, value)
    assert.strictEqual((await world.api("session")).status, 401)
    const confirm = await world.follow(out)
    const fields = { ...hiddenIn(confirm.text), logout: "yes" }
    const back = await world.send({ url: actionOf(confirm.text) }, fields)
    assert.deepInclude(back, { status: 200, url: `${world.url}/` })
    // The provider asks again who one is.
    const again = await world.follow(back)
    assert.include(again.text, "Who are you?")
  })
})

describe("the options of a sign-in", () => {
  const valid = {
    issuer: "https://login.example.com",
    clientId,
    clientSecret,
    url: "https://ops.example.com/dashboard",
    roles,
  }

  it.each([
    [{ issuer: undefined }, /signIn\.issuer: required, an address such as/],
    [{ issuer: "http://login.example.com" }, /signIn\.issuer: must begin with https:/],
    [{ url: "/dashboard" }, /signIn\.url: required, an address such as/],
    [{ url: "https://ops.example.com/?a=b" }, /signIn\.url: must have no query/],
    [{ clientId: "" }, /signIn\.clientId: required/],
    [{ clientSecret: undefined }, /signIn\.clientSecret: required/],
    [{ roles: {} }, /signIn\.roles: required, such as \{ "sms-operators": "operator" \}/],
    [{ roles: { a: "admin" } }, /"admin" of "a" is no role; write operator, support, billing/],
    [{ scope: "profile" }, /signIn\.scope: must contain "openid"/],
    [{ roleClaim: " " }, /signIn\.roleClaim: required/],
    [{ clientSecrets: "x" }, /clientSecret/],
  ])("%o is refused with what to write instead", async (change, message) => {
    await using engine = await quietEngine()
    const signIn = { ...valid, ...change }
    expect(() => Reflect.apply(engine.admin, engine, [{ signIn }])).toThrow(message)
  })

  it("go with no other decision, and one of both is required", async () => {
    await using engine = await quietEngine()
    const authorize = () => undefined
    expect(() => engine.admin({ signIn: valid, authorize })).toThrow(/leave it out/)
    expect(() => engine.admin({})).toThrow(/or set signIn/)
    assert.isFunction(engine.admin({ signIn: valid }).listener)
  })
})
