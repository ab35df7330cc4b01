import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Senders, type SaveSender } from "../../src/services/Senders.ts"
import { SenderNotFound } from "../../src/domain/errors/Errors.ts"
import { SenderId, OrganizationId } from "../../src/domain/values/Ids.ts"
import { Organizations } from "../../src/services/Organizations.ts"

const organization = OrganizationId("acme")
const save = (input: Partial<SaveSender> = {}) =>
  Senders.use((_) =>
    _.save({ organization, kind: "masking", sender: "ACME", status: "approved", ...input }),
  )
const withdraw = (id: SenderId) => Senders.use((_) => _.withdraw({ organization, id }))
const list = Senders.use((_) => _.list({ organization }))

describe("Brands", () => {
  it.effect("gives a new sender an id, and replaces the sender of a given id", () =>
    Effect.gen(function* () {
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
      })
      assert.strictEqual((yield* list).length, 3)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("has one default for SMS and one for WhatsApp", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      yield* save({ id: "second", kind: "non-masking", sender: "8809611111111", isDefault: true })
      const defaults = (yield* list).filter(({ isDefault }) => isDefault)
      assert.deepStrictEqual<unknown>(
        defaults.map(({ id }) => id),
        ["profile", "second"],
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("withdraws a sender, which stays in the list, until it is saved again", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const { id } = yield* save({ kind: "non-masking", sender: "8809611111111", isDefault: true })
      yield* Effect.replicateEffect(withdraw(id), 2)
      assert.deepInclude((yield* list).at(-1), { id, status: "withdrawn", isDefault: false })
      yield* save({ id, kind: "non-masking", sender: "8809611111111" })
      assert.deepInclude((yield* list).at(-1), { id, status: "approved", isDefault: false })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("approves and rejects a sender as it is then, but none that is withdrawn", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect(
    "fails to withdraw a sender that the organization does not have, and changes nothing",
    () =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        const { id } = yield* save()
        const other = (yield* TestEngine.open({ id: "zenith" })).organization
        const version = Effect.map(
          Organizations.use((_) => _.get({ id: organization })),
          (found) => found.version,
        )
        const before = yield* version
        for (const unknown of [
          withdraw(SenderId("unknown")),
          Senders.use((_) => _.withdraw({ organization: other, id })),
        ]) {
          assert.deepStrictEqual(yield* Effect.flip(unknown), new SenderNotFound())
        }
        assert.strictEqual(yield* version, before)
      }).pipe(Effect.provide(TestEngine.layer())),
  )

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
  it.effect.each(refused)("refuses %j, saying %j", ([input, fields]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const error = yield* Effect.flip(save(input))
      const details = error._tag === "InvalidRequest" ? error.details : {}
      assert.deepStrictEqual(Object.keys(details).toSorted(), [...fields])
      assert.strictEqual((yield* list).length, 2)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("fails for an unknown organization", () =>
    Effect.gen(function* () {
      const unknown = Samples.otherOrganizationId
      assert.strictEqual(
        (yield* Effect.flip(save({ organization: unknown })))._tag,
        "OrganizationNotFound",
      )
      const listed = Senders.use((_) => _.list({ organization: unknown }))
      assert.strictEqual((yield* Effect.flip(listed))._tag, "OrganizationNotFound")
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
