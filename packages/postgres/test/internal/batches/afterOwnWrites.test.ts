import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import type { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterOwnWrites } from "../../../src/internal/batches/afterOwnWrites.ts"
import { test } from "../../../../../test/support/testsOver.ts"

type Read = (store: Store["Service"]) => Effect.Effect<unknown, unknown>

const id = Samples.organizationId
const ref = { organization: id, sequence: 1 }
const page = { from: undefined, to: undefined, limit: 1 }
const search = { ...page, phoneNumber: undefined, before: undefined, examine: 1 }
const named = { statuses: [], gateway: undefined, gatewayId: undefined }
const digests = ["digest"] as const
const step = { organization: id, after: undefined, limit: 1, digests } as const
const personal = { ...step, kind: "messages", phoneNumber: Samples.phoneNumber() } as const
const totals = { kinds: [], from: 0, to: 1, slotMillis: 3_600_000 }

/** The reads that depend on the outcome of a message, by name. */
const ofOrganization = {
  account: (store) => store.account(id),
  entries: (store) => store.entries(id, 0, 1),
  payment: (store) => store.payment(id, "inv-1"),
  balancesBefore: (store) => store.balancesBefore(id, 0),
  sumEntries: (store) => store.sumEntries(id, 0, 1),
  events: (store) => store.events(id, 0, 1),
  trace: (store) => store.trace(id, { from: 0, messages: [], requestId: null, examine: 1 }),
  messages: (store) => store.messages(id, { ...page, skip: 0 }),
  queued: (store) => store.queued(id, Samples.messageId(1)),
  queuedPage: (store) => store.queuedPage({ organization: id, queue: "" }, undefined, 1),
  batchTotals: (store) => store.batchTotals(id, [Samples.batchId()]),
  searchMessages: (store) => store.searchMessages(id, { ...search, ...named }),
  message: (store) => store.message(ref),
  reports: (store) => store.reports(ref),
  totals: (store) => store.totals(id, totals),
  personalRows: (store) => store.personalRows(personal),
  erase: (store) => store.erase({ ...personal, answer: "" }),
} satisfies Partial<Record<keyof Store["Service"], Read>>

const ofAll = {
  organizationSummaries: (store) => store.organizationSummaries(undefined, 1),
  locate: (store) => store.locate("simulated", "gw-1"),
} satisfies Partial<Record<keyof Store["Service"], Read>>

/** A store over an empty one, which notes the waits and the reads. */
const setup = (unwritten: ReadonlyArray<string>) => {
  const steps: Array<string> = []
  const noting = new Proxy(MemoryStore.make(), {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== "function") return method
      return (...given: ReadonlyArray<unknown>) =>
        Effect.andThen(
          Effect.sync(() => steps.push("read")),
          Reflect.apply(method, target, given),
        )
    },
  })
  const batches = {
    unwritten: new Map(unwritten.map((one) => [one, undefined])),
    written: (one: string) =>
      Effect.sync(() => {
        if (unwritten.includes(one)) steps.push(one)
      }),
  }
  return { steps, store: afterOwnWrites(batches, noting) }
}

describe("afterOwnWrites", () => {
  test.effect.each(Object.entries<Read>(ofOrganization))(
    "lets %s wait for its organization only",
    function* ([, read]) {
      const { steps, store } = setup([id, "other"])
      yield* read(store)
      assert.deepStrictEqual(steps, [id, "read"])
      const others = setup(["other"])
      yield* read(others.store)
      assert.deepStrictEqual(others.steps, ["read"])
    },
  )

  test.effect("lets a list of all organizations wait for all of them", function* () {
    const { steps, store } = setup([id, "other"])
    yield* ofAll.organizationSummaries(store)
    assert.deepStrictEqual(steps, [id, "other", "read"])
  })

  test.effect(
    "looks for a message again that it has not found, after what was unwritten",
    function* () {
      const { steps, store } = setup([id, "other"])
      yield* ofAll.locate(store)
      assert.deepStrictEqual(steps, ["read", id, "other", "read"])
      const idle = setup([])
      yield* ofAll.locate(idle.store)
      assert.deepStrictEqual(idle.steps, ["read"])
    },
  )

  it("changes no other method", () => {
    const inner = MemoryStore.make()
    const store = afterOwnWrites({ unwritten: new Map(), written: () => Effect.void }, inner)
    const changed = Object.entries(store).flatMap(([name, method]) =>
      Reflect.get(inner, name) === method ? [] : [name],
    )
    assert.sameMembers(changed, [...Object.keys(ofOrganization), ...Object.keys(ofAll)])
  })
})
