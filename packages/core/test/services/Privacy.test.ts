import * as Samples from "@countersign/testing/Samples"
import * as Invariants from "@countersign/testing/Invariants"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Command, Tag } from "../../src/decide/Command.ts"
import * as Erasure from "../../src/decide/maintenance/Erasure.ts"
import * as ErasedRecipient from "../../src/domain/verifications/ErasedRecipient.ts"
import {
  InvalidRequest,
  OrganizationNotFound,
  SendingFailed,
} from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { defaults, Limits } from "../../src/domain/limits/Limits.ts"
import { Store } from "../../src/ports/Store.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { Messages } from "../../src/services/Messages.ts"
import { type PersonalRecord, Privacy } from "../../src/services/Privacy.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { twoNodes } from "../support/nodes.ts"
import { check, phoneNumber, send, statusOf } from "../support/verifying.ts"

const organization = Samples.organizationId
const other = "+8801712345679"

const erase = Privacy.use((_) => _.erase({ organization, phoneNumber }))
const exported = Effect.flatMap(Privacy, (privacy) =>
  Stream.runCollect(privacy.export({ organization, phoneNumber })),
)
const tell = (to: string, idempotencyKey?: string) =>
  Messages.use((_) =>
    _.send({
      organization,
      phoneNumber: to,
      text: `To ${to}: your parcel is here`,
      idempotencyKey,
    }),
  )
const rows = Effect.flatMap(Store, (store) => Invariants.read(store, organization))

/** A verified request, a pending one and a message, and the same for another number. */
const history = Effect.gen(function* () {
  yield* TestEngine.open()
  for (const to of [phoneNumber, other]) {
    const metadata = JSON.stringify({ user: to })
    const sent = yield* send(organization, { phoneNumber: to, metadata })
    const code = Redacted.make(yield* TestEngine.latestCode(to))
    const { requestId } = sent
    yield* Verifications.use((_) => _.check({ organization, requestId, code, client: "phone" }))
    yield* tell(to, `parcel for ${to}`)
    yield* send(organization, { phoneNumber: to, metadata })
  }
})

const counts = { messages: 3, verifications: 2, reports: 0, events: 4, answers: 1, refusals: 0 }

describe("an erasure", () => {
  it.effect("cancels what is pending, erases everything and is an event", () =>
    Effect.gen(function* () {
      yield* history
      const before = yield* rows
      assert.deepStrictEqual(yield* erase, { ...counts, left: 0 })
      assert.deepStrictEqual(
        (yield* exported).map(({ _tag }) => _tag),
        ["Limits"],
      )
      const after = yield* rows
      assert.isDefined(before)
      assert.isDefined(after)
      assert.deepStrictEqual(after.entries, before.entries)
      assert.deepStrictEqual(Invariants.problems(after), [])
      assert.deepStrictEqual(Invariants.regressions(before, after), [])
      const { events } = yield* EventLog.use((_) =>
        _.read({ organization, after: before.account.lastEvent }),
      )
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Cancelled", "NumberErased"],
      )
      assert.deepInclude(events.at(-1), counts)
      // The number of another person is still there.
      const texts = JSON.stringify(after.messages.map(({ text }) => text))
      assert.include(texts, other)
      assert.notInclude(texts, phoneNumber.slice(1))
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("tells of each step, by the kind of its rows", () =>
    Effect.gen(function* () {
      yield* history
      const steps: Array<Erasure.Kind> = []
      const onStep = (kind: Erasure.Kind) => Effect.sync(() => void steps.push(kind))
      yield* Privacy.use((_) => _.erase({ organization, phoneNumber }, onStep))
      assert.deepStrictEqual(steps, [...Erasure.kinds])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("takes a number with or without its plus, in any plan, and refuses other text", () =>
    Effect.gen(function* () {
      yield* history
      const by = (text: string) => Privacy.use((_) => _.erase({ organization, phoneNumber: text }))
      assert.deepInclude(yield* by(phoneNumber.slice(1)), { messages: 3 })
      assert.deepInclude(yield* by("+9990000000"), { messages: 0 })
      for (const text of ["", "01712345678x", "erased:BD", `${phoneNumber}0000000`]) {
        assert.instanceOf(yield* Effect.flip(by(text)), InvalidRequest)
      }
      const unknown = { organization: OrganizationId("unknown"), phoneNumber }
      const error = yield* Effect.flip(Privacy.use((_) => _.erase(unknown)))
      assert.deepStrictEqual(error, new OrganizationNotFound())
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("answers the repeat of a call as if its message had been dropped", () =>
    Effect.gen(function* () {
      yield* history
      yield* erase
      const repeat = yield* Effect.flip(tell(phoneNumber, `parcel for ${phoneNumber}`))
      assert.deepStrictEqual(
        repeat,
        new SendingFailed({
          status: "unknown",
          reason: "unknown",
          gateway: null,
          vendorCode: null,
          vendorMessage: null,
        }),
      )
      assert.strictEqual((yield* tell(other, `parcel for ${other}`)).phoneNumber, other)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("lets no caller find a request", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const code = yield* TestEngine.latestCode(phoneNumber)
      yield* check(organization, requestId, code)
      yield* erase
      const calls = [
        statusOf(organization, requestId),
        check(organization, requestId, code),
        Verifications.use((_) => _.consume({ organization, requestId })),
        Verifications.use((_) => _.resend({ organization, requestId })),
        Verifications.use((_) => _.cancel({ organization, requestId })),
      ]
      for (const call of calls) {
        const { _tag } = yield* Effect.flip(
          Effect.asVoid<unknown, { _tag: string }, Verifications>(call),
        )
        assert.strictEqual(_tag, "RequestNotFound")
      }
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("is complete after a repeat, wherever it was killed", () =>
    Effect.gen(function* () {
      for (let steps = 0, isKilled = true; isKilled; steps++) {
        const memory = MemoryStore.make()
        let left = steps
        const dying = Store.of({
          ...memory,
          erase: (step) => (left-- === 0 ? Effect.die("killed") : memory.erase(step)),
          execute: (command) =>
            command._tag === "RecordErasure" && left-- === 0
              ? Effect.die("killed")
              : memory.execute(command),
        })
        const { here, there } = yield* twoNodes({}, memory)
        yield* here(history)
        const killed = yield* twoNodes({}, dying)
        isKilled = (yield* Effect.exit(killed.here(erase)))._tag === "Failure"
        const { left: rest } = yield* there(erase)
        assert.strictEqual(rest, 0)
        const found = yield* there(exported)
        assert.deepStrictEqual(
          found.map(({ _tag }) => _tag),
          ["Limits"],
          `killed after ${steps} steps`,
        )
        const after = yield* there(rows)
        assert.isDefined(after)
        assert.deepStrictEqual(Invariants.problems(after), [])
        const { messages, verifications } = after
        assert.deepStrictEqual(
          [...messages, ...verifications].filter((row) => row.phoneNumber === phoneNumber),
          [],
        )
        if (!isKilled) assert.strictEqual(steps, Erasure.kinds.length + 1)
      }
    }),
  )
})

const twoPerDay = { ...defaults, sendsPerNumber: { max: 2, windowMillis: 86_400_000 } }
const limited = Layer.provide(TestEngine.layer(), Layer.succeed(Limits, twoPerDay))

describe("after an erasure", () => {
  it.effect("the limits of the number still hold, until their windows end", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      yield* Effect.replicateEffect(send(organization), 2)
      yield* erase
      const refused = yield* Effect.flip(send(organization))
      assert.deepInclude(refused, { _tag: "RateLimited", reason: "rate" } as const)
      yield* send(organization, { phoneNumber: other })
      yield* TestClock.adjust(86_400_000)
      yield* send(organization)
    }).pipe(Effect.provide(limited)),
  )

  it.effect("a node with older settings learns of it before it sends", () =>
    Effect.gen(function* () {
      const { here, there } = yield* twoNodes()
      yield* here(TestEngine.open())
      yield* there(Effect.replicateEffect(send(organization), 5))
      yield* here(erase)
      for (const _ of [1, 2, 3, 4, 5]) yield* there(send(organization))
      yield* there(Effect.flip(send(organization)))
      yield* here(erase)
      const refused = yield* Effect.flip(there(send(organization)))
      // All ten of this minute count.
      assert.deepInclude(refused, { _tag: "RateLimited", reason: "rate" } as const)
    }),
  )

  it.effect("digests are computed for as long as they may be needed, and never without one", () =>
    Effect.gen(function* () {
      const memory = MemoryStore.make()
      const digests: Array<boolean> = []
      const note = <T extends Tag>(command: Command<T>) => {
        if (command._tag === "RequestVerification" && "erased" in command) {
          digests.push(command.erased !== undefined)
        }
      }
      const store = Store.of({
        ...memory,
        execute: (command) => {
          note(command)
          return memory.execute(command)
        },
      })
      const { here } = yield* twoNodes({}, store)
      yield* here(TestEngine.open())
      yield* here(send(organization))
      yield* here(erase)
      yield* here(send(organization))
      yield* TestClock.adjust(ErasedRecipient.keptMillis - 1)
      yield* here(send(organization))
      yield* TestClock.adjust(1)
      yield* here(send(organization))
      assert.deepStrictEqual(digests, [false, true, true, false])
    }),
  )

  it.effect("the host can reset the wrong codes of the number", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      yield* Effect.flip(check(organization, requestId, "wrong"))
      yield* erase
      const refused = yield* Effect.flip(send(organization))
      assert.deepInclude(refused, { _tag: "RateLimited", reason: "guesses" } as const)
      yield* Verifications.use((_) => _.resetGuesses({ organization, phoneNumber }))
      yield* send(organization)
    }).pipe(
      Effect.provide(
        Layer.provide(
          TestEngine.layer(),
          Layer.succeed(Limits, { ...defaults, guessesSinceSuccess: 1 }),
        ),
      ),
    ),
  )
})

describe("an export", () => {
  const about = (record: PersonalRecord): string => {
    switch (record._tag) {
      case "Message":
        return record.message.text
      case "Verification":
        return `${record.verification.status} ${record.verification.metadata}`
      case "Event":
        return `${record.event._tag}`
      case "Answer":
        return JSON.parse(record.answer.answer ?? "null")._tag
      case "Refusal":
        return record.refusal.code
      case "Limits":
        return `${record.requests.length} requests, ${record.clients.length} clients`
    }
  }

  it.effect("has everything of the number, and no code or key", () =>
    Effect.gen(function* () {
      yield* history
      const found = yield* exported
      const user = JSON.stringify({ user: phoneNumber })
      assert.deepStrictEqual(
        found.map((record) => [record._tag, about(record)]),
        [
          ["Limits", "2 requests, 1 clients"],
          ["Message", "•••••• is your verification code. Do not share it with anyone."],
          ["Message", `To ${phoneNumber}: your parcel is here`],
          ["Message", "•••••• is your verification code. Do not share it with anyone."],
          ["Verification", `pending ${user}`],
          ["Verification", `verified ${user}`],
          ["Event", "VerificationSent"],
          ["Event", "Verified"],
          ["Event", "VerificationSent"],
          ["Answer", "MessageSent"],
        ],
      )
      for (const record of found) {
        if (record._tag !== "Verification") continue
        assert.doesNotHaveAnyKeys(record.verification, ["digest", "pepper", "sealed"])
      }
      assert.notInclude(JSON.stringify(found), other)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("of a number without data is empty; of an unknown organization fails", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      assert.deepStrictEqual([...(yield* exported)], [])
      const unknown = { organization: OrganizationId("unknown"), phoneNumber }
      const error = yield* Effect.flip(Privacy.use((_) => _.exportPage(unknown)))
      assert.deepStrictEqual(error, new OrganizationNotFound())
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
