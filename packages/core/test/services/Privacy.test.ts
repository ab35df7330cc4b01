import * as Samples from "@countersign/testing/Samples"
import * as Invariants from "@countersign/testing/Invariants"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
import { Store } from "../../src/ports/Store.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { Messages } from "../../src/services/Messages.ts"
import type { PersonalRecord } from "../../src/api/privacy.ts"
import { Privacy } from "../../src/services/Privacy.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { twoNodes } from "../support/nodes.ts"
import { phoneNumber, send } from "../support/verifying.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"

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
  engineTest("cancels what is pending, erases everything and is an event", function* () {
    yield* history
    const before = yield* rows
    assert.deepStrictEqual(yield* erase, { ...counts, left: 0 })
    assert.deepStrictEqual(
      (yield* exported).map(({ type }) => type),
      ["limits"],
    )
    const after = yield* rows
    assert.isDefined(before)
    assert.isDefined(after)
    assert.deepStrictEqual(after.entries, before.entries)
    assert.deepStrictEqual(Invariants.problems(after), [])
    assert.deepStrictEqual(Invariants.regressions(before, after), [])
    const { events } = yield* EventLog.use((_) =>
      _.list({ organization, after: before.account.lastEvent }),
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
  })

  engineTest("tells of each step, by the kind of its rows", function* () {
    yield* history
    const steps: Array<Erasure.Kind> = []
    const onStep = (kind: Erasure.Kind) => Effect.sync(() => void steps.push(kind))
    yield* Privacy.use((_) => _.erase({ organization, phoneNumber }, onStep))
    assert.deepStrictEqual(steps, [...Erasure.kinds])
  })

  engineTest(
    "takes a number with or without its plus, in any plan, and refuses other text",
    function* () {
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
    },
  )

  engineTest("answers the repeat of a call as if its message had been dropped", function* () {
    yield* history
    yield* erase
    const repeat = yield* Effect.flip(tell(phoneNumber, `parcel for ${phoneNumber}`))
    const unknown = { status: "unknown", reason: "unknown", gateway: null } as const
    const dropped = new SendingFailed({ ...unknown, vendorCode: null, vendorMessage: null })
    assert.deepStrictEqual(repeat, dropped)
    assert.strictEqual((yield* tell(other, `parcel for ${other}`)).phoneNumber, other)
  })

  effectTest("is complete after a repeat, wherever it was killed", function* () {
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
        found.map(({ type }) => type),
        ["limits"],
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
  })
})

describe("after an erasure", () => {
  effectTest("a node with older settings learns of it before it sends", function* () {
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
  })

  effectTest(
    "digests are computed for as long as they may be needed, and never without one",
    function* () {
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
    },
  )
})

describe("an export", () => {
  const about = (record: PersonalRecord): string => {
    switch (record.type) {
      case "message":
        return record.text
      case "verification":
        return `${record.status} ${record.metadata}`
      case "event":
        return `${record.event._tag}`
      case "answer":
        return JSON.parse(record.answer ?? "null")._tag
      case "refusal":
        return record.code
      case "queued":
        return record.call
      case "limits":
        return `${record.requests.length} requests, ${record.clients.length} clients`
    }
  }

  engineTest("has everything of the number, and no code or key", function* () {
    yield* history
    const found = yield* exported
    const user = JSON.stringify({ user: phoneNumber })
    assert.deepStrictEqual(
      found.map((record) => [record.type, about(record)]),
      [
        ["limits", "2 requests, 1 clients"],
        ["message", "•••••• is your verification code. Do not share it with anyone."],
        ["message", `To ${phoneNumber}: your parcel is here`],
        ["message", "•••••• is your verification code. Do not share it with anyone."],
        ["verification", `pending ${user}`],
        ["verification", `verified ${user}`],
        ["event", "VerificationSent"],
        ["event", "Verified"],
        ["event", "VerificationSent"],
        ["answer", "MessageSent"],
      ],
    )
    for (const record of found) {
      if (record.type !== "verification") continue
      assert.doesNotHaveAnyKeys(record, ["digest", "pepper", "sealed"])
    }
    assert.notInclude(JSON.stringify(found), other)
  })
})
