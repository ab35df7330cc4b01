import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { setImmediate as turnOfLoop } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { end, listen } from "../../../test/support/loopback.ts"
import * as Countersign from "../src/index.ts"
import { createLogin, incomingMessageOf, type LoginOptions } from "../src/login.ts"
import { untyped } from "./support/values.ts"

const phoneNumber = "+8801712345678"

const onVerified: LoginOptions["onVerified"] = (verified) => Response.json(verified)

/** An engine in memory, and what it logs. */
const engineOf = async (options: Countersign.CountersignOptions = {}) => {
  const gateway = Countersign.developmentGateway(() => undefined)
  const lines: Array<string> = []
  const clock = Countersign.createTestClock()
  const engine = await Countersign.createCountersign({
    database: "memory",
    clock,
    gateways: [gateway],
    log: ({ level, message }) => void lines.push(`${level}: ${message}`),
    ...options,
  })
  return { engine, gateway, lines, clock, [Symbol.asyncDispose]: () => engine.dispose() }
}

/** A browser that keeps the cookies of a login. */
const browsing = ({ fetch }: Pick<Countersign.Mount, "fetch">) => {
  const jar = new Map<string, string>()
  const call = async (path: string, body?: object) => {
    const response = await fetch(
      new Request(`https://app.test/login${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    for (const [, name = "", value = ""] of response.headers
      .getSetCookie()
      .map((cookie) => /^([^=]+)=([^;]*)/.exec(cookie) ?? [])) {
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  return { jar, call }
}

const statusAndCode = async (response: Response) => {
  const body: unknown = await response.json()
  return [response.status, Object(body).code]
}

describe("createLogin", () => {
  it("signs in once, with what onStart has chosen, for the organization of the handle", async () => {
    await using host = await engineOf()
    await host.engine.organizations.create({ id: "acme" })
    const acme = host.engine.organization("acme")
    await acme.senders.create({ kind: "non-masking", value: "8809600000001", isDefault: true })
    const login = createLogin(acme, {
      purpose: "payment",
      onStart: ({ phoneNumber: typed }, request) => {
        assert.strictEqual(request.method, "POST")
        return { metadata: { typed }, payment: { amount: "5 BDT", payee: "Rahim" } }
      },
      onVerified,
    })
    const { call } = browsing(login)
    assert.strictEqual((await call("/start", { phoneNumber })).status, 200)
    const code = host.gateway.latestCode(phoneNumber)
    const answer = await call("/check", { code })
    assert.deepStrictEqual(await answer.json(), {
      phoneNumber,
      purpose: "payment",
      metadata: { typed: phoneNumber },
    })
    assert.lengthOf((await acme.messages.list()).items, 1)
    assert.lengthOf((await host.engine.messages.list()).items, 0)
  })

  it("sends the host's answer as it is, and removes its own cookie beside it", async () => {
    await using host = await engineOf()
    const cookies = ["session=1; Path=/; HttpOnly", "old=; Path=/a; Max-Age=0", "old=; Path=/b"]
    for (const status of [204, 303]) {
      const login = createLogin(host.engine, {
        onVerified: () =>
          new Response(null, {
            status,
            headers: [
              ["location", "/home"],
              ...cookies.map((cookie): [string, string] => ["set-cookie", cookie]),
            ],
          }),
      })
      const { call } = browsing(login)
      await call("/start", { phoneNumber })
      const answer = await call("/check", { code: host.gateway.latestCode(phoneNumber) })
      assert.deepStrictEqual([answer.status, answer.headers.get("location")], [status, "/home"])
      assert.deepStrictEqual(answer.headers.getSetCookie(), [
        ...cookies,
        "__Host-countersign-login=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
      ])
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    }
  })

  it("answers an error of the engine as errorResponse does", async () => {
    await using host = await engineOf({ limits: { attempts: 2 } })
    const { verifications } = host.engine
    const { call } = browsing(createLogin(host.engine, { onVerified }))
    const rejected = async (promise: Promise<unknown>) => {
      const error: unknown = await promise.catch((reason: unknown) => reason)
      if (!Countersign.isCountersignError(error)) return assert.fail(`no error: ${String(error)}`)
      const { body, headers, status } = Countersign.errorResponse(error)
      return [status, headers["retry-after"] ?? null, JSON.parse(JSON.stringify(body))]
    }
    const shown = async (response: Response) => [
      response.status,
      response.headers.get("retry-after"),
      await response.json(),
    ]
    const own = "+8801812345678"
    const { requestId } = await verifications.send({ phoneNumber: own, purpose: "login" })
    await call("/start", { phoneNumber })
    const verify = () => verifications.verify({ requestId, code: "wrong", purpose: "login" })
    const check = () => call("/check", { code: "wrong" })
    const rows: ReadonlyArray<readonly [() => Promise<unknown>, () => Promise<Response>]> = [
      [() => verifications.resend({ requestId }), () => call("/resend", {})],
      [
        () => verifications.send({ phoneNumber: own, locale: "xx" }),
        () => call("/start", { phoneNumber: own, locale: "xx" }),
      ],
      [verify, check],
      [verify, check],
    ]
    for (const [direct, over] of rows) {
      assert.deepStrictEqual(await shown(await over()), await rejected(direct()))
    }
  })

  it("tells users nothing of what only an operator can mend, and logs it", async () => {
    await using host = await engineOf({ prices: { sms: "1" } })
    const { call } = browsing(createLogin(host.engine, { onVerified }))
    const answer = await call("/start", { phoneNumber })
    assert.deepStrictEqual(await statusAndCode(answer), [503, "unavailable"])
    assert.match(host.lines.join(), /error: Countersign: The login cannot serve: Insufficient bal/)
    assert.notInclude(host.lines.join(), phoneNumber.slice(4))
  })
})

describe("a host's function that fails", () => {
  it.each<readonly [string, LoginOptions["onVerified"], RegExp]>([
    ["throws", () => assert.fail(`no user ${phoneNumber}`), /A request ended in a defect/],
    ["returns no Response", untyped(() => ({ ok: true })), /onVerified .* must return a Response/],
  ])("because it %s is a 500, after which the request is used up", async (_, run, line) => {
    await using host = await engineOf()
    const { call, jar } = browsing(createLogin(host.engine, { onVerified: run }))
    await call("/start", { phoneNumber })
    const code = host.gateway.latestCode(phoneNumber)
    assert.deepStrictEqual(await statusAndCode(await call("/check", { code })), [500, "internal"])
    assert.strictEqual(jar.size, 0)
    assert.match(host.lines.join(), line)
    assert.notMatch(host.lines.join(), new RegExp(`${phoneNumber.slice(4)}|${code}`))
  })
})

describe("options", () => {
  it.each([
    [{}, "login.onVerified must be a function: it signs the verified number in"],
    [{ onVerified: "x" }, "login.onVerified must be a function"],
    [{ onVerified, onverified: 1 }, "login.onverified is not an option; did you mean onVerified?"],
    [{ onVerified, country: "XX" }, "login: country: XX is no country with a numbering plan"],
    [{ onVerified, purpose: "Sign in" }, /^login: purpose must have 1 to 32 characters/],
    [
      { onVerified, origins: ["x"] },
      'login: origins: "x" must be written as https://app.example.com',
    ],
    [{ onVerified, origins: "https://a.test" }, "login.origins must be a list"],
    [{ onVerified, trustedProxies: ["x"] }, /^login.trustedProxies: "x" is no IP address/],
    [undefined, "login must be an object"],
  ])("%j are refused when the login is made", async (options, message) => {
    await using host = await engineOf()
    assert.throws(
      () => createLogin(host.engine, untyped<LoginOptions>(options)),
      Countersign.ConfigurationError,
      message,
    )
  })

  it("need an engine that was awaited, and an organization", async () => {
    await using host = await engineOf({ defaultOrganization: false })
    assert.throws(
      () => createLogin(host.engine, { onVerified }),
      Countersign.InvalidRequestError,
      "organization",
    )
    assert.throws(
      () => createLogin(untyped(Promise.resolve(host.engine)), { onVerified }),
      Countersign.ConfigurationError,
      "createLogin: the first argument must be what createCountersign resolves with",
    )
  })

  it("begin with those of the engine: proxies, and production", async () => {
    await using host = await engineOf({
      http: { trustedProxies: ["127.0.0.1"] },
      limits: { sendsPerClient: { max: 1, per: "1 hour" } },
    })
    const login = createLogin(host.engine, { onVerified })
    const start = (number: string, address: string) => {
      const request = new Request("http://app.test/login/start", {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": address },
        body: JSON.stringify({ phoneNumber: number }),
      })
      return login.handle(request, { clientAddress: "127.0.0.1" })
    }
    const statuses = [
      await start(phoneNumber, "203.0.113.7"),
      await start("+8801812345678", "203.0.113.8"),
      await start("+8801912345678", "203.0.113.7"),
    ]
    assert.deepStrictEqual(
      statuses.map(({ status }) => status),
      [200, 200, 429],
    )
  })
})

describe("dispose", () => {
  it("waits for a sign-in under way, and then no login is served or made", async () => {
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const host = await engineOf({ shutdownTimeout: "10 minutes" })
    const login = createLogin(host.engine, {
      onVerified: async (verified) => {
        begun.resolve()
        await release.promise
        return Response.json(verified)
      },
    })
    const { call } = browsing(login)
    await call("/start", { phoneNumber })
    const checked = call("/check", { code: host.gateway.latestCode(phoneNumber) })
    await begun.promise
    const ended = host.engine.dispose()
    release.resolve()
    assert.strictEqual((await checked).status, 200)
    await ended
    assert.throws(() => createLogin(host.engine, { onVerified }), Countersign.DisposedError)
    assert.strictEqual((await call("/start", { phoneNumber })).status, 503)
  })

  it("waits for a sign-in whose browser has gone", async () => {
    const begun = Promise.withResolvers<IncomingMessage>()
    const release = Promise.withResolvers<void>()
    const signedIn = Promise.withResolvers<boolean>()
    const host = await engineOf({ shutdownTimeout: "10 minutes" })
    let isDisposed = false
    const login = createLogin(host.engine, {
      onVerified: async (verified, request) => {
        begun.resolve(incomingMessageOf(request))
        await release.promise
        signedIn.resolve(isDisposed)
        return Response.json(verified)
      },
    })
    const server = createServer(login.listener)
    const base = `http://127.0.0.1:${await listen(server)}/login`
    const post = (path: string, body: object, cookie = "", signal?: AbortSignal) =>
      fetch(`${base}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      })
    const [cookie = ""] = (await post("/start", { phoneNumber })).headers.getSetCookie()
    const abort = new AbortController()
    const code = host.gateway.latestCode(phoneNumber)
    const checked = post("/check", { code }, cookie.split(";")[0], abort.signal)
    const { socket, url } = await begun.promise
    assert.strictEqual(url, "/login/check")
    const gone = once(socket, "close")
    abort.abort()
    await Promise.all([gone, checked.catch(() => undefined)])
    const ended = host.engine.dispose().then(() => (isDisposed = true))
    // An end that does not wait is over after these turns.
    for (let turn = 0; turn < 100; turn++) await turnOfLoop()
    release.resolve()
    assert.isFalse(await signedIn.promise)
    await ended
    end(server)
  })

  it.each(["onStart", "onVerified"] as const)(
    "ends in spite of a call of %s that does not",
    async (name) => {
      const begun = Promise.withResolvers<void>()
      const never = (): Promise<Response> => {
        begun.resolve()
        return new Promise(() => {})
      }
      const host = await engineOf({ shutdownTimeout: "1 millisecond" })
      const login = createLogin(host.engine, { onVerified, [name]: never })
      const { call } = browsing(login)
      const started = call("/start", { phoneNumber })
      if (name === "onVerified") {
        await started
        void call("/check", { code: host.gateway.latestCode(phoneNumber) })
      }
      await begun.promise
      await host.engine.dispose()
    },
  )
})

describe("incomingMessageOf", () => {
  it("refuses a request that is not of Node", () => {
    assert.throws(() => incomingMessageOf(new Request("https://app.test")), TypeError, /node:http/)
  })
})
