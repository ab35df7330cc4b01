import { assert, describe, test } from "vitest"
import { createFetcher } from "../src/internal/fetcher.ts"
import type { Waiting } from "../src/internal/types.ts"

/** A server that always answers so. */
const answering = (
  response: () => Response,
  requests: Array<readonly [string, RequestInit]> = [],
) =>
  createFetcher({
    basePath: "/login/",
    fetch: async (url, init) => {
      requests.push([url, init])
      return response()
    },
  })

const waiting: Waiting = {
  status: "waiting",
  phoneNumber: "+8801712345678",
  channel: "sms",
  codeLength: 6,
  expiresAt: "2026-01-01T00:05:00.000Z",
  resendAt: null,
  resendsRemaining: 3,
  attemptsRemaining: 3,
  now: "2026-01-01T00:00:00.000Z",
}

describe("the calls of the login protocol", () => {
  test("are requests with the cookie, below the path of the login", async () => {
    const requests: Array<readonly [string, RequestInit]> = []
    const { start, state } = answering(() => Response.json(waiting), requests)
    assert.deepStrictEqual(await start({ phoneNumber: "01712345678" }), { ok: true, data: waiting })
    await state()
    const shown = requests.map(([url, { body, credentials, method }]) => [
      url,
      method,
      credentials,
      body,
    ])
    assert.deepStrictEqual(shown, [
      ["/login/start", "POST", "include", '{"phoneNumber":"01712345678"}'],
      ["/login/state", "GET", "include", undefined],
    ])
  })

  test("give the answer of the host to a right code, of any type", async () => {
    const check = (response: Response) =>
      answering(() => response).check({ code: "123456", phoneNumber: "+8801712345678" })
    const data = async (response: Response) => {
      const answer = await check(response)
      return answer.ok ? answer.data : answer.problem.code
    }
    assert.deepStrictEqual(await data(Response.json({ id: 1 })), { id: 1 })
    assert.strictEqual(await data(new Response("hello")), "hello")
    assert.strictEqual(await data(new Response(null, { status: 204 })), "")
    const redirected = new Response("a page", { status: 404 })
    Object.defineProperties(redirected, {
      redirected: { value: true },
      url: { value: "https://app.example/home" },
    })
    assert.deepStrictEqual(await data(redirected), { redirectedTo: "https://app.example/home" })
  })

  test.each<readonly [string, () => Response, string, RegExp]>([
    [
      "a problem",
      () => Response.json({ code: "wrong_code", message: "Wrong code" }, { status: 400 }),
      "wrong_code",
      /^Wrong code$/,
    ],
    [
      "the page of another server",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      "unavailable",
      /Is the login mounted there/,
    ],
    [
      "the error page of a proxy",
      () => new Response("<html>", { status: 502 }),
      "unavailable",
      /\/login\/state answered 502/,
    ],
    ["data of another shape", () => Response.json({ ...waiting, now: 1 }), "unavailable", /200/],
    [
      "no answer",
      () => {
        throw new TypeError("Failed to fetch")
      },
      "network",
      /\/login\/state could not be reached: TypeError: Failed to fetch/,
    ],
  ])("make %s a problem", async (_name, response, code, message) => {
    const answer = await answering(response).state()
    assert.isFalse(answer.ok)
    if (answer.ok) return
    assert.strictEqual(answer.problem.code, code)
    assert.match(answer.problem.message, message)
  })

  test("keep the details of a problem", async () => {
    const problem = {
      code: "rate_limited",
      message: "Rate limit exceeded",
      retryAfterSeconds: 30,
      attemptsRemaining: undefined,
      details: undefined,
    }
    const answer = await answering(() => Response.json(problem, { status: 429 })).resend({})
    assert.deepStrictEqual(answer, { ok: false, problem })
  })
})

test("a mistake in the options says what to write", () => {
  assert.throws(() => createFetcher({ basePath: "login" }), /a path such as "\/login", not login/)
  const misspelt = { basePath: "/login", path: "/login" }
  assert.throws(() => createFetcher(misspelt), /path is not an option; did you mean basePath\?/)
})
