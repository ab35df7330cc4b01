import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mount, operator } from "../support/AdminSubject.ts"

const form = {
  method: "POST",
  body: "password=secret",
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    "sec-fetch-site": "same-origin",
  },
} as const

/** A login that answers with what it was sent. */
const login = (seen: Array<string>) => ({
  authorize: async (request: Request) => {
    seen.push(await request.text())
    return new Response(null, { status: 303, headers: { location: "./" } })
  },
})

it.effect("a form of a page is passed to the host's login, whose answer is sent", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const send = yield* mount(login(seen))
    const response = yield* Effect.promise(() => send("/org/acme", form))
    assert.strictEqual(response.status, 303)
    assert.strictEqual(response.headers.get("location"), "./")
    assert.deepStrictEqual(seen, ["password=secret"])
  }).pipe(Effect.provide(TestEngine.layer()), Effect.scoped),
)

it.effect("a form of another site is refused before the login", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const send = yield* mount(login(seen))
    const headers = { ...form.headers, "sec-fetch-site": "cross-site" }
    const response = yield* Effect.promise(() => send("/", { ...form, headers }))
    assert.strictEqual(response.status, 403)
    assert.deepStrictEqual(seen, [])
  }).pipe(Effect.provide(TestEngine.layer()), Effect.scoped),
)

it.effect("a form that is too large reaches the login empty", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const send = yield* mount(login(seen))
    const body = `password=${"x".repeat(5_000)}`
    yield* Effect.promise(() => send("/", { ...form, body }))
    assert.deepStrictEqual(seen, [""])
  }).pipe(Effect.provide(TestEngine.layer()), Effect.scoped),
)

it.effect("no page takes a form of a principal", () =>
  Effect.gen(function* () {
    const send = yield* mount({ authorize: () => operator })
    const response = yield* Effect.promise(() => send("/", form))
    assert.strictEqual(response.status, 405)
  }).pipe(Effect.provide(TestEngine.layer()), Effect.scoped),
)
