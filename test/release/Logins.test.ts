/**
 * Sign-ins with a phone number, as the guides of Auth.js, Passport and Clerk write them, and what attackers try.
 */
import { Auth, skipCSRFCheck } from "@auth/core"
import { createClerkClient } from "@clerk/backend"
import { type Countersign, createCountersign, developmentGateway } from "countersign"
import express from "express"
import { createServer } from "node:http"
import passport from "passport"
import { assert, describe, onTestFinished, test } from "vitest"
import { end, listen } from "../support/loopback.ts"
import { phone, sendCode } from "./logins/authjs.ts"
import { ticketFor } from "./logins/clerk.ts"
import { phoneStrategy } from "./logins/passport.ts"

const phoneNumber = "+8801712345678"

const victim = "+8801812345678"

const start = async () => {
  const gateway = developmentGateway()
  const countersign = await createCountersign({
    database: "memory",
    gateways: [gateway],
    log: () => {},
  })
  onTestFinished(() => countersign.dispose())
  return { countersign, gateway }
}

const serve = async (listener: Parameters<typeof createServer>[1]) => {
  const server = createServer(listener)
  const port = await listen(server)
  onTestFinished(() => end(server))
  return `http://127.0.0.1:${port}`
}

const wrong = (code: string): string => (code === "000000" ? "000001" : "000000")

/** Another request for the same number, with another purpose. */
const payment = async ({ verifications }: Countersign): Promise<string> => {
  const { requestId } = await verifications.send({ phoneNumber, purpose: "payment" })
  return requestId
}

describe("Auth.js", () => {
  const site = "https://acme.example"

  const setUp = async () => {
    const { countersign, gateway } = await start()
    const users: Array<string> = []
    const provider = phone(countersign, async (id) => {
      users.push(id)
      return { id }
    })
    const signIn = async (code: string, cookie: string) => {
      const request = new Request(`${site}/auth/callback/phone`, {
        method: "POST",
        headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ code, callbackUrl: `${site}/home` }),
      })
      const config = { providers: [provider], secret: "a secret for tests", trustHost: true }
      const logger = { error: () => {} }
      const answer = await Auth(request, { ...config, basePath: "/auth", logger, skipCSRFCheck })
      const to = new URL(answer.headers.get("location") ?? site)
      const isSignedIn = answer.headers
        .getSetCookie()
        .some((one) => one.startsWith("__Secure-authjs.session-token="))
      return isSignedIn ? to.pathname : `refused: ${to.searchParams.get("code")}`
    }
    const cookie = (await sendCode(countersign, phoneNumber, "198.51.100.7")).split(";", 1)[0] ?? ""
    return { code: gateway.latestCode(phoneNumber), cookie, countersign, gateway, signIn, users }
  }

  test("signs in once with the code, in the browser that has asked for it", async () => {
    const { code, cookie, signIn, users } = await setUp()
    assert.strictEqual(await signIn(wrong(code), cookie), "refused: wrong_code")
    assert.strictEqual(await signIn(code, ""), "refused: invalid_request")
    assert.strictEqual(await signIn(code, cookie), "/home")
    assert.strictEqual(await signIn(code, cookie), "refused: already_consumed")
    assert.deepStrictEqual(users, [phoneNumber])
  })

  test("refuses the code of another purpose and of another number", async () => {
    const { code, cookie, countersign, gateway, signIn, users } = await setUp()
    const ofPayment = `__Host-code=${await payment(countersign)}`
    const paymentCode = gateway.latestCode(phoneNumber)
    assert.strictEqual(await signIn(paymentCode, ofPayment), "refused: request_not_found")
    await sendCode(countersign, victim, "203.0.113.9")
    const ofVictim = gateway.latestCode(victim)
    if (ofVictim !== code) assert.strictEqual(await signIn(ofVictim, cookie), "refused: wrong_code")
    assert.deepStrictEqual(users, [])
  })
})

describe("Passport", () => {
  const setUp = async () => {
    const { countersign, gateway } = await start()
    const login = new passport.Passport()
    login.use(phoneStrategy(countersign, async (phone) => ({ phone })))
    const session: { requestId?: string } = {}
    const app = express().use(express.json())
    app.use((request, _response, next) => next(void Object.assign(request, { session })))
    app.post("/login", (request, response, next) => {
      const answer = (error: unknown, user: unknown, info: unknown, status: unknown): void => {
        if (error) return next(error)
        response.status(Number(status ?? 200)).json(user || info)
      }
      login.authenticate("phone", { session: false }, answer)(request, response, next)
    })
    const base = await serve(app)
    const signIn = async (code: unknown) => {
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({ code })
      const answer = await fetch(`${base}/login`, { method: "POST", headers, body })
      const { code: problem, phone } = Object(await answer.json())
      return `${answer.status} ${problem ?? phone}`
    }
    return { countersign, gateway, session, signIn }
  }

  test("signs in once with the code, in the session that has asked for it", async () => {
    const { countersign, gateway, session, signIn } = await setUp()
    assert.strictEqual(await signIn("123456"), "400 invalid_request")
    const sent = await countersign.verifications.send({ phoneNumber, purpose: "login" })
    session.requestId = sent.requestId
    const code = gateway.latestCode(phoneNumber)
    assert.strictEqual(await signIn(wrong(code)), "400 wrong_code")
    assert.strictEqual(await signIn({ code }), "400 invalid_request")
    assert.strictEqual(await signIn(code), `200 ${phoneNumber}`)
    assert.strictEqual(await signIn(code), "409 already_consumed")
    session.requestId = await payment(countersign)
    assert.strictEqual(await signIn(gateway.latestCode(phoneNumber)), "404 request_not_found")
  })
})

describe("Clerk", () => {
  const user = (id: string, status: string) => ({
    object: "user",
    id,
    phone_numbers: [
      {
        object: "phone_number",
        id: "p",
        phone_number: phoneNumber,
        verification: { status },
        linked_to: [],
      },
    ],
    email_addresses: [],
    web3_wallets: [],
    external_accounts: [],
    enterprise_accounts: [],
  })

  /** Answers as Clerk's API does, and keeps the requests. */
  const setUp = async (known: ReadonlyArray<object>) => {
    const { countersign, gateway } = await start()
    const requests: Array<string> = []
    const apiUrl = await serve(async (request, response) => {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      const path = new URL(request.url ?? "", "http://x").pathname
      requests.push(`${request.method} ${path} ${Buffer.concat(chunks).toString()}`.trim())
      response.setHeader("content-type", "application/json")
      const answers: Readonly<Record<string, unknown>> = {
        "GET /v1/users": known,
        "GET /v1/users/count": { object: "total_count", total_count: known.length },
        "POST /v1/users": user("user_new", "verified"),
        "POST /v1/sign_in_tokens": { object: "sign_in_token", id: "t", token: "the ticket" },
      }
      response.end(JSON.stringify(answers[`${request.method} ${path}`]))
    })
    const clerk = createClerkClient({
      secretKey: "sk_test_tests",
      apiUrl,
      telemetry: { disabled: true },
    })
    const { requestId } = await countersign.verifications.send({ phoneNumber, purpose: "login" })
    const code = gateway.latestCode(phoneNumber)
    const writes = () => requests.filter((one) => one.startsWith("POST"))
    return { clerk, code, countersign, requestId, requests, writes }
  }

  const ticket = (id: string) =>
    `POST /v1/sign_in_tokens ${JSON.stringify({ user_id: id, expires_in_seconds: 60 })}`

  test("gets a ticket for the user with the verified number, once", async () => {
    const { clerk, code, countersign, requestId, writes } = await setUp([
      user("user_other", "unverified"),
      user("user_known", "verified"),
    ])
    const sign = () => ticketFor(countersign, clerk, { requestId, code })
    assert.strictEqual(await sign(), "the ticket")
    assert.strictEqual(
      Reflect.get(Object(await sign().catch((error: unknown) => error)), "code"),
      "already_consumed",
    )
    assert.deepStrictEqual(writes(), [ticket("user_known")])
  })

  test("makes a user if no user has verified the number", async () => {
    const { clerk, code, countersign, requestId, writes } = await setUp([
      user("user_other", "unverified"),
    ])
    await ticketFor(countersign, clerk, { requestId, code })
    const created = `POST /v1/users ${JSON.stringify({ phone_number: [phoneNumber] })}`
    assert.deepStrictEqual(writes(), [created, ticket("user_new")])
  })

  test("is not asked before the code was right", async () => {
    const { clerk, code, countersign, requestId, requests } = await setUp([])
    const input = { requestId, code: wrong(code) }
    const error: unknown = await ticketFor(countersign, clerk, input).catch(
      (error: unknown) => error,
    )
    assert.strictEqual(Reflect.get(Object(error), "code"), "wrong_code")
    assert.deepStrictEqual(requests, [])
  })
})
