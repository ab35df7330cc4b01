import type { MessageRef } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { sections } from "../src/internal/store-suite/sections.ts"
import type { Body, StoreService, Test } from "../src/internal/store-suite/support.ts"
import * as Samples from "../src/Samples.ts"
import { directoryMistakes, type Mistake, pages } from "./support/directoryMistakes.ts"
import { altered } from "./support/mistakenStore.ts"
import { privacyMistakes } from "./support/privacyMistakes.ts"
import { searchMistakes } from "./support/searchMistakes.ts"

interface Contract {
  readonly title: string
  readonly body: Body
}

/** Sections of many commands each: too slow to be repeated for every mistake. */
const slow = ["histories", "malformed commands"]

/** The tests of the suite, as data. */
const contract: ReadonlyArray<Contract> = (() => {
  const tests: Array<Contract> = []
  const collect: Test = (title, body) => tests.push({ title, body })
  for (const [title, section] of sections) if (!slow.includes(title)) section(collect)
  return tests
})()

/** The titles of the tests that a store does not pass. */
const failedBy = (change: (store: StoreService) => Partial<StoreService>) =>
  Effect.map(
    Effect.forEach(contract, ({ body, title }) =>
      Effect.suspend(() => {
        const store = MemoryStore.make()
        return Effect.fnUntraced(body)({ ...store, ...change(store) })
      }).pipe(
        Effect.exit,
        Effect.map((exit) => (Exit.isFailure(exit) ? [title] : [])),
        (test) => Effect.andThen(TestClock.setTime(Samples.now), test),
        Effect.provide(TestClock.layer()),
      ),
    ),
    (titles) => titles.flat(),
  )

const none = Effect.succeed({ dropped: 0, next: undefined })

const mistakes: ReadonlyArray<Mistake> = [
  ...directoryMistakes,
  [
    "gives an entry twice at the edge of a page",
    (store) => ({
      entries: (id, after, limit) => store.entries(id, Math.max(0, after - 1), limit),
    }),
  ],
  [
    "gives an event twice at the edge of a page",
    (store) => ({
      events: (id, after, limit) => store.events(id, Math.max(0, after - 1), limit),
    }),
  ],
  [
    "begins a page of the audit with the last entry of the page before",
    (store) => ({
      audit: (id, before, limit) =>
        store.audit(id, before === undefined ? undefined : before + 1, limit),
    }),
  ],
  [
    "forgets who has changed an organization",
    (store) => ({ changeOrganization: (id, change) => store.changeOrganization(id, change) }),
  ],
  [
    "forgets who has created an organization",
    (store) => ({ createOrganization: (organization) => store.createOrganization(organization) }),
  ],
  [
    "says that the event log begins with the page",
    (store) => ({
      events: (id, after, limit) =>
        Effect.map(
          store.events(id, after, limit),
          (page) => page && { ...page, first: page.events[0]?.sequence ?? page.first },
        ),
    }),
  ],
  [
    "keeps the events of a change of settings to itself",
    (store) => ({
      changeOrganization: (...given) =>
        Effect.map(store.changeOrganization(...given), (made) => made && { ...made, events: [] }),
    }),
  ],
  [
    "leaves the end of a range out",
    (store) => ({
      messages: (id, query) =>
        store.messages(id, { ...query, to: query.to === undefined ? undefined : query.to - 1 }),
    }),
  ],
  [
    "counts a page and calls it the total",
    pages((page) => ({ ...page, total: page.messages.length })),
  ],
  ...privacyMistakes,
  ...searchMistakes,
  ["shows the oldest first", pages((page) => ({ ...page, messages: page.messages.toReversed() }))],
  [
    "tells the clock's time although the organization has seen a later one",
    (store) => ({
      verification: (id, request) =>
        Effect.zipWith(store.verification(id, request), Clock.currentTimeMillis, (found, now) =>
          found === undefined ? undefined : { ...found, now },
        ),
    }),
  ],
  [
    "finds a message due a moment later",
    (store) => ({ due: (limit) => Effect.map(store.due(limit), (refs) => refs.slice(1)) }),
  ],
  [
    "finds the latest due first",
    (store) => ({
      due: (limit) => Effect.map(store.due(1_000), (refs) => refs.toReversed().slice(0, limit)),
    }),
  ],
  [
    "leaves organizations out only after it has counted what is due",
    (store) => ({
      due: (limit, without = []) =>
        Effect.map(store.due(limit), (refs) =>
          refs.filter(({ organization }) => !without.includes(organization)),
        ),
    }),
  ],
  [
    "takes one gateway's id for another's",
    (store) => ({ locate: (_, gatewayId) => store.locate("simulated", gatewayId) }),
  ],
  [
    "takes every id for unique",
    (store) => {
      const found = new Map<string, MessageRef | undefined>()
      const keep = (id: string, ref: MessageRef | undefined) =>
        found.set(id, found.get(id) ?? ref).get(id)
      return { locate: (by, id) => Effect.map(store.locate(by, id), (ref) => ref && keep(id, ref)) }
    },
  ],
  [
    "keeps the same report again and again",
    (store) => {
      let count = 0
      return {
        keepReport: (report) =>
          store.keepReport({
            ...report,
            detail: `${count++}`,
            gatewayId: `${report.gatewayId}${count}`,
          }),
      }
    },
  ],
  [
    "forgets every report of a message with the first",
    (store) => ({
      forgetReport: (report) =>
        Effect.all([
          store.forgetReport({ ...report, status: "delivered" }),
          store.forgetReport({ ...report, status: "failed" }),
        ]),
    }),
  ],
  [
    "drops what is just as old as it may be",
    (store) => ({ prune: (step) => store.prune({ ...step, keepMillis: step.keepMillis - 1 }) }),
  ],
  ["drops nothing", () => ({ prune: () => none })],
  [
    "drops more in a step than its limit",
    (store) => ({ prune: (step) => store.prune({ ...step, limit: step.limit * 2 }) }),
  ],
  [
    "stops after one step",
    (store) => ({
      prune: (step) => Effect.map(store.prune(step), (done) => ({ ...done, next: undefined })),
    }),
  ],
  [
    "drops other people's rows as well",
    (store) => ({
      prune: (step) =>
        Effect.tap(store.prune(step), () =>
          Effect.flatMap(store.organizations(undefined, 9), (ids) =>
            Effect.forEach(ids, (organization) => store.prune({ ...step, organization })),
          ),
        ),
    }),
  ],
  [
    "counts what it has dropped among its messages",
    (store) => ({
      messages: (id, query) =>
        Effect.zipWith(store.messages(id, query), store.account(id), (page, account) =>
          page === undefined || account === undefined
            ? page
            : { ...page, total: page.total + account.firstMessage - 1 },
        ),
    }),
  ],
  [
    "finds messages by the gateway's id that are gone",
    (store) => {
      const found = new Map<string, MessageRef>()
      return {
        locate: (gateway, id) =>
          Effect.map(store.locate(gateway, id), (ref) => {
            if (ref !== undefined) found.set(id, ref)
            return ref ?? found.get(id)
          }),
      }
    },
  ],
  [
    "writes a refund down for every message that it drops",
    (store) => ({
      prune: (step) =>
        Effect.tap(store.prune(step), ({ dropped }) =>
          dropped === 0
            ? Effect.void
            : store.execute(Samples.topUp({ organization: step.organization })),
        ),
    }),
  ],
  [
    "says nothing of what has happened",
    (store) => ({
      execute: (command) =>
        Effect.map(store.execute(command), (committed) => ({ ...committed, events: [] })),
    }),
  ],
  [
    "knows no cap",
    altered((command) =>
      "limits" in command
        ? { ...command, limits: { ...command.limits, spendPerDay: undefined } }
        : command,
    ),
  ],
  [
    "counts no code as verified",
    altered((command) =>
      command._tag === "CheckCode" ? { ...command, rules: undefined } : command,
    ),
  ],
  ["forgets what it has found", () => ({ findings: () => Effect.succeed([]) })],
  [
    "tells of the oldest findings",
    (store) => ({
      findings: (organization, limit) =>
        Effect.map(store.findings(organization, 1_000), (found) =>
          found.slice(-limit).toReversed(),
        ),
    }),
  ],
  ...(["findings", "codes"] as const).map((kind): Mistake => [
    `never drops ${kind}`,
    (store) => ({ prune: (step) => (step.kind === kind ? none : store.prune(step)) }),
  ]),
  [
    "lists organizations by their codes only while these are new",
    (store) => ({
      organizations: (after, limit, which) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          which === undefined || now < Samples.now + 60_000
            ? store.organizations(after, limit, which)
            : Effect.succeed([]),
        ),
    }),
  ],
  [
    "says everything twice",
    (store) => ({
      execute: (command) =>
        Effect.map(store.execute(command), ({ events, result }) => ({
          result,
          events: [...events, ...events],
        })),
    }),
  ],
  [
    "serves older settings",
    (store) => ({
      execute: (command) =>
        "version" in command
          ? Effect.flatMap(store.account(command.organization), (account) =>
              store.execute({ ...command, version: account?.version ?? 1 }),
            )
          : store.execute(command),
    }),
  ],
  [
    "does everything twice",
    (store) => ({
      execute: (command) => Effect.tap(store.execute(command), () => store.execute(command)),
    }),
  ],
]

describe("StoreSuite", () => {
  it.effect("accepts the memory store", () =>
    Effect.gen(function* () {
      assert.isAtLeast(contract.length, 70)
      assert.deepStrictEqual(yield* failedBy(() => ({})), [])
    }),
  )

  it.effect.each(mistakes)("finds a store that %s", ([, change]) =>
    Effect.gen(function* () {
      assert.isAtLeast((yield* failedBy(change)).length, 1)
    }),
  )
})
