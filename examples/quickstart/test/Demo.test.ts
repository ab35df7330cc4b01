import { Accounts } from "@countersign/core/services/Accounts"
import { Senders } from "@countersign/core/services/Senders"
import * as Engine from "@countersign/core/Engine"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import { Store } from "@countersign/core/ports/Store"
import * as Node from "@countersign/node/Node"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Demo from "../src/Demo.ts"

const platform = Layer.mergeAll(
  SimulatedGateway.layer(),
  CodeSecrets.layer(Redacted.make("0123456789abcdef0123456789abcdef")),
).pipe(Layer.provideMerge(Node.layerCrypto))

/** The engine of one process on a store that outlives it. */
const engineOn = (store: Store["Service"]) =>
  Engine.layer.pipe(Layer.provide(platform), Layer.provide(Layer.succeed(Store, store)))

const prepare = (store: Store["Service"], known: ReadonlyArray<Demo.OrganizationKey> = []) =>
  Effect.provide(Demo.prepare({ balance: Money.make("12.5"), known }), engineOn(store))

/** A store whose process is killed at its `fatal`th write: before the write, or after it. */
const mortal = (
  store: Store["Service"],
  fatal: number,
  when: "before" | "after",
): Store["Service"] => {
  let writes = 0
  const write = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      writes += 1
      if (writes !== fatal) return effect
      const killed = Effect.die("killed")
      return when === "before" ? killed : Effect.andThen(effect, killed)
    })
  return {
    ...store,
    execute: (command) => write(store.execute(command)),
    createOrganization: (...given) => write(store.createOrganization(...given)),
    changeOrganization: (...given) => write(store.changeOrganization(...given)),
  }
}

/** All rows, without the values that are random in each run. */
const contents = (store: Store["Service"]) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations
    const accounts = yield* Accounts
    const senders = yield* Senders
    return yield* Effect.forEach(yield* organizations.list(), ({ id }) =>
      Effect.gen(function* () {
        const { balance } = yield* accounts.balance({ organization: id })
        const { settings } = yield* organizations.get({ id })
        return {
          name: String(id),
          balance: Money.format(balance),
          allowList: settings.allowList,
          senders: (yield* senders.list({ organization: id }))
            .map(({ isDefault, kind, sender, status }) =>
              [kind, sender, status, ...(isDefault ? ["default"] : [])].join(" "),
            )
            .toSorted(),
        }
      }),
    )
  }).pipe(Effect.provide(engineOn(store)))

const expected = [
  {
    name: "acme",
    balance: "12.50",
    allowList: [],
    senders: [
      "masking ACME approved",
      "masking ACME-NEW pending",
      "non-masking 8809612000101 approved default",
      "whatsapp acme-support approved",
      "whatsapp acme-whatsapp approved default",
    ],
  },
  {
    name: "globex",
    balance: "1.00",
    allowList: [],
    senders: [
      "non-masking 8809612000102 approved default",
      "whatsapp globex-whatsapp approved default",
    ],
  },
  {
    name: "initech",
    balance: "100.00",
    allowList: ["203.0.113.0/24"],
    senders: [
      "non-masking 8809612000103 approved default",
      "whatsapp initech-whatsapp approved default",
    ],
  },
]

/** More than a whole preparation writes. */
const writes = 24

describe("the demonstration data", () => {
  it.effect("matches the README", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      yield* prepare(store)
      assert.deepEqual(yield* contents(store), expected)
    }),
  )

  it.effect("does not change when it is prepared again with the known keys", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      const first = yield* prepare(store)
      assert.deepStrictEqual(yield* prepare(store, first), first)
      assert.deepEqual(yield* contents(store), expected)
    }),
  )

  it.effect("is completed after a start that was killed at any write", () =>
    Effect.gen(function* () {
      const killed: Array<number> = []
      for (let fatal = 1; fatal <= writes; fatal++) {
        for (const when of ["before", "after"] as const) {
          const store = MemoryStore.make()
          const exit = yield* Effect.exit(prepare(mortal(store, fatal, when)))
          if (Exit.isFailure(exit)) killed.push(fatal)
          const keys = yield* prepare(store)
          assert.deepEqual(yield* contents(store), expected, `killed ${when} write ${fatal}`)
          assert.deepStrictEqual(
            keys.map(({ name }) => name),
            ["acme", "globex", "initech"],
          )
        }
      }
      // The last writes were never reached, so all of them were tried.
      assert.isAbove(killed.length, 20)
      assert.notInclude(killed, writes)
    }),
  )

  it.effect("gets new keys if the known keys are revoked or of another database", () =>
    Effect.gen(function* () {
      const elsewhere = yield* prepare(MemoryStore.make())
      const store = MemoryStore.make()
      const here = yield* prepare(store, elsewhere)
      for (const [index, { apiKey }] of here.entries()) {
        assert.notStrictEqual(apiKey, elsewhere[index]?.apiKey)
      }
      yield* store.changeOrganization(OrganizationId("acme"), (organization) => ({
        ...organization,
        keys: organization.keys.map((key) => ({ ...key, revokedAt: 1 })),
      }))
      const later = yield* prepare(store, here)
      assert.notStrictEqual(later[0]?.apiKey, here[0]?.apiKey)
      assert.deepStrictEqual(later.slice(1), here.slice(1))
    }),
  )

  it.effect("does not undo later changes", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      yield* prepare(store)
      yield* Effect.gen(function* () {
        const organization = OrganizationId("acme")
        const senders = yield* Senders
        const [pending] = (yield* senders.list({ organization })).filter(
          ({ sender }) => sender === "ACME-NEW",
        )
        if (pending === undefined) return assert.fail("there is no ACME-NEW")
        yield* senders.save({ organization, ...pending, status: "approved" })
        yield* (yield* Organizations).update({ id: organization, allowList: ["192.0.2.1"] })
        yield* (yield* Accounts).adjust({ organization, amount: Money.make("-12.5"), note: "fee" })
      }).pipe(Effect.provide(engineOn(store)))
      yield* prepare(store)
      const [acme] = yield* contents(store)
      assert.deepInclude(acme, { balance: "0.00", allowList: ["192.0.2.1"] })
      assert.include(acme?.senders ?? [], "masking ACME-NEW approved")
    }),
  )

  it.effect("has no top-up if the configured balance is zero", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      const run = Demo.prepare({ balance: Money.zero, known: [] })
      yield* Effect.provide(run, engineOn(store))
      const [acme] = yield* contents(store)
      assert.strictEqual(acme?.balance, "0.00")
    }),
  )
})
