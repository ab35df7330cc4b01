/** The client plugin, as pages use it. */
import { createAuthClient } from "better-auth/client"
import { assert, expectTypeOf, test } from "vitest"
import {
  type Answer,
  countersignClient,
  type Idle,
  type Waiting,
  type WaitingAt,
} from "../src/client.ts"
import { countersign } from "../src/index.ts"
import { origin, otherNumber, phoneNumber, startApp, startEngine } from "./support/app.ts"

const start = async (isLimited = false) => {
  const host = await startEngine()
  const plugin = countersign(host.engine, { clock: host.clock, rateLimit: { max: 3, window: 60 } })
  const app = await startApp({ plugins: [plugin], rateLimit: { enabled: isLimited } })
  const page = app.browser()
  const client = createAuthClient({
    baseURL: origin,
    plugins: [countersignClient()],
    fetchOptions: { customFetchImpl: page.fetch },
  })
  return { ...host, ...app, client, page }
}

/** The number of the user, once the session of the page has one. */
const numberOfSession = ({ client }: Awaited<ReturnType<typeof start>>): Promise<string> =>
  new Promise((resolve) => {
    client.useSession.subscribe(({ data }) => {
      if (typeof data?.user.phoneNumber === "string") resolve(data.user.phoneNumber)
    })
  })

const problemOf = <A>(answer: Answer<A>) =>
  answer.ok ? assert.fail("it has succeeded") : answer.problem

test("each endpoint is a typed action, and a check renews the session of the page", async () => {
  const host = await start()
  const { client, gateway } = host
  const started = await client.countersign.start({ phoneNumber })
  expectTypeOf(started.data).toEqualTypeOf<Waiting | null>()
  assert.instanceOf(started.data?.expiresAt, Date)
  const { data: state } = await client.countersign.state()
  expectTypeOf(state).toEqualTypeOf<Waiting | Idle | null>()
  assert.strictEqual(state?.status, "waiting")

  const renewed = numberOfSession(host)
  const code = gateway.latestCode(phoneNumber)
  const checked = await client.countersign.check({ code })
  assert.strictEqual(checked.data?.user.phoneNumber, phoneNumber)
  assert.strictEqual(await renewed, phoneNumber)
})

test("an error of an action has our code, as the table of codes names it", async () => {
  const { client } = await start()
  const { error } = await client.countersign.resend({})
  assert.strictEqual(error?.status, 404)
  expectTypeOf(client.$ERROR_CODES.request_not_found.code).toExtend<"request_not_found">()
  assert.deepInclude(error, countersignClient().$ERROR_CODES.request_not_found)
})

test("a fetcher is the same object each time, and answers as the protocol of the login does", async () => {
  const { client, clock, gateway, page } = await start()
  const fetcher = client.countersign.fetcher()
  assert.strictEqual(client.countersign.fetcher(), fetcher)
  const started = await fetcher.start({ phoneNumber })
  expectTypeOf(started).toEqualTypeOf<Answer<WaitingAt<string>>>()
  if (!started.ok) return assert.fail(started.problem.message)
  assert.strictEqual(started.data.expiresAt, new Date(started.data.expiresAt).toISOString())

  const early = problemOf(await fetcher.resend({}))
  assert.deepInclude(early, { code: "rate_limited", retryAfterSeconds: 30 })
  await clock.advance("31 seconds")
  assert.strictEqual((await fetcher.resend({})).ok, true)

  const wrong = problemOf(await fetcher.check({ code: "x", phoneNumber }))
  assert.deepInclude(wrong, { code: "wrong_code", attemptsRemaining: 2 })
  const invalid = problemOf(await fetcher.start({ phoneNumber: "none" }))
  assert.nestedPropertyVal(invalid, "details.phoneNumber[0].code", "not_e164")
  const code = gateway.latestCode(phoneNumber)
  const checked = await fetcher.check({ code, phoneNumber })
  assert.nestedPropertyVal(checked, "data.user.phoneNumber", phoneNumber)
  assert.deepInclude(await page.user(), { phoneNumber })
  assert.deepStrictEqual(await fetcher.state(), { ok: true, data: { status: "idle" } })
})

test("the fetcher of the other purpose links a number", async () => {
  const host = await start()
  const { client, gateway, page } = host
  const [login, link] = [client.countersign.fetcher(), client.countersign.fetcher("link")]
  assert.strictEqual(problemOf(await link.start({ phoneNumber })).code, "UNAUTHORIZED")
  await login.start({ phoneNumber })
  const renewed = numberOfSession(host)
  await login.check({ code: gateway.latestCode(phoneNumber), phoneNumber })
  assert.strictEqual(await renewed, phoneNumber)
  await link.start({ phoneNumber: otherNumber })
  assert.deepInclude(await link.state(), { ok: true })
  const code = gateway.latestCode(otherNumber)
  assert.strictEqual((await link.check({ code, phoneNumber: otherNumber })).ok, true)
  assert.deepInclude(await page.user(), { phoneNumber: otherNumber })
  assert.deepStrictEqual(await link.cancel(), { ok: true, data: { status: "idle" } })
})

test("better-auth's own limit and a lost connection are problems as well", async () => {
  const { client } = await start(true)
  const fetcher = client.countersign.fetcher()
  for (const _ of [1, 2, 3]) await fetcher.cancel()
  const limited = problemOf(await fetcher.cancel())
  assert.strictEqual(limited.code, "rate_limited")
  assert.isAbove(limited.retryAfterSeconds ?? 0, 0)

  const offline = createAuthClient({
    baseURL: origin,
    plugins: [countersignClient()],
    fetchOptions: { customFetchImpl: () => Promise.reject(new TypeError("fetch failed")) },
  })
  const lost = problemOf(await offline.countersign.fetcher().state())
  assert.deepStrictEqual(lost, { code: "network", message: "fetch failed" })
})
