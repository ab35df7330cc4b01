import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Senders, type SaveSender } from "../../src/services/Senders.ts"
import { SenderNotFound } from "../../src/domain/errors/Errors.ts"
import { SenderId, OrganizationId } from "../../src/domain/values/Ids.ts"
import { engineTest } from "../support/engineTest.ts"
import { invalidFields } from "../support/invalidFields.ts"

const organization = OrganizationId("acme")
const save = (input: Partial<SaveSender> = {}) =>
  Senders.use((_) =>
    _.save({ organization, kind: "masking", sender: "ACME", status: "approved", ...input }),
  )
const withdraw = (id: SenderId) => Senders.use((_) => _.withdraw({ organization, id }))
const list = Senders.use((_) => _.list({ organization }))

describe("Brands", () => {
  engineTest("gives a new sender an id, and replaces the sender of a given id", function* () {
    yield* TestEngine.open()
    const { id } = yield* save()
    assert.match(id, /^brd_[0-9a-f]{44}$/)
    yield* save({ id, sender: "ACME-2", status: "pending" })
    assert.deepStrictEqual((yield* list).at(-1), {
      id,
      kind: "masking",
      sender: "ACME-2",
      status: "pending",
      isDefault: false,
      class: null,
      reason: null,
    })
    assert.strictEqual((yield* list).length, 3)
  })

  engineTest(
    "approves and rejects a sender as it is then, but none that is withdrawn",
    function* () {
      yield* TestEngine.open()
      const decide = (id: SenderId, status: "approved" | "rejected") =>
        Senders.use((_) => _.decide(organization, id, status))
      const { id } = yield* save({
        status: "pending",
        kind: "non-masking",
        sender: "8809611111111",
      })
      const changes = [
        save({ id, kind: "non-masking", sender: "8809622222222", status: "pending" }),
        decide(id, "approved"),
      ]
      yield* Effect.all(changes, { concurrency: "unbounded" })
      assert.deepInclude((yield* list).at(-1), { sender: "8809622222222", status: "approved" })
      assert.deepInclude(yield* decide(id, "rejected"), { id, status: "rejected" })
      yield* withdraw(id)
      assert.deepInclude(yield* decide(id, "approved"), { id, status: "withdrawn" })
      const unknown = yield* Effect.flip(decide(SenderId("unknown"), "approved"))
      assert.deepStrictEqual(unknown, new SenderNotFound())
    },
  )

  engineTest("keeps the reason of a rejection until the sender has another status", function* () {
    yield* TestEngine.open()
    const reason = "The name belongs to a bank"
    const { id } = yield* save({ status: "rejected", reason })
    const reasonOf = (changes: { readonly status?: "approved"; readonly reason?: string }) =>
      Effect.map(
        Senders.use((_) => _.update({ organization, id, ...changes })),
        (sender) => sender.reason,
      )
    assert.strictEqual(yield* reasonOf({}), reason)
    assert.strictEqual(yield* reasonOf({ reason: "Another" }), "Another")
    assert.isNull(yield* reasonOf({ status: "approved", reason }))
    const decided = yield* Senders.use((_) => _.decide(organization, id, "rejected", reason))
    assert.deepInclude(decided, { status: "rejected", reason })
    const long = save({ status: "rejected", reason: "x".repeat(201) })
    assert.deepStrictEqual(yield* invalidFields(long), ["reason"])
  })

  engineTest("fails to withdraw a sender that the organization does not have", function* () {
    yield* TestEngine.open()
    const { id } = yield* save()
    const { organization: other } = yield* TestEngine.open({ id: "zenith" })
    const foreign = Senders.use((_) => _.withdraw({ organization: other, id }))
    for (const unknown of [withdraw(SenderId("unknown")), foreign]) {
      assert.deepStrictEqual(yield* Effect.flip(unknown), new SenderNotFound())
    }
    assert.deepInclude((yield* list).at(-1), { id, status: "approved" })
  })

  const refused: ReadonlyArray<readonly [Partial<SaveSender>, fields: ReadonlyArray<string>]> = [
    [{ sender: "" }, ["sender"]],
    [{ sender: "x".repeat(65) }, ["sender"]],
    [{ sender: "two\nlines" }, ["sender"]],
    [{ sender: "\u0000" }, ["sender"]],
    [{ id: "" }, ["id"]],
    [{ id: "x".repeat(65) }, ["id"]],
    [{ isDefault: true }, ["isDefault"]],
    [{ id: "", sender: "", isDefault: true }, ["id", "isDefault", "sender"]],
  ]
  engineTest.each(refused)("refuses %j, saying %j", function* ([input, fields]) {
    yield* TestEngine.open()
    assert.deepStrictEqual(yield* invalidFields(save(input)), fields)
    assert.strictEqual((yield* list).length, 2)
  })
})
