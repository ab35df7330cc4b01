/** A history that hung, because the model waited for an SMS that was not due. */
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { perform } from "../src/internal/model/perform.ts"
import { makeReal } from "../src/internal/model/real.ts"
import { Reference } from "../src/internal/model/reference.ts"
import type { Action, Config } from "../src/internal/model/scenario.ts"
import { verdict } from "../src/internal/model/verdict.ts"
import * as Samples from "../src/Samples.ts"

const setup: Config = {
  reports: true,
  honoursToken: false,
  lookup: true,
  fallback: true,
  limitsClients: false,
  resends: 3,
  cooldownMillis: 30_000,
  guesses: "documented",
  messagesPerMinute: null,
  spendPerDay: null,
  balanceLowAt: null,
  watch: null,
}

const person = { node: 0, org: 0, person: 1 }

const actions: ReadonlyArray<Action> = [
  {
    tag: "verify",
    ...person,
    channel: "whatsapp",
    codeLength: undefined,
    expirySeconds: undefined,
    brand: undefined,
    purpose: undefined,
    key: undefined,
    client: undefined,
    known: undefined,
    count: 1,
  },
  { tag: "erase", ...person },
  { tag: "report", node: 0, message: 0, status: "accepted", by: "message", times: 1 },
]

it.effect("a report on the open message of an erased request is played at once", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    const real = yield* makeReal(setup, MemoryStore.layer)
    const reference = new Reference(setup, Samples.now)
    for (const action of actions) yield* perform(action, reference, real)
    assert.lengthOf(yield* verdict(reference, real, []), 2)
  }).pipe(Effect.scoped),
)
