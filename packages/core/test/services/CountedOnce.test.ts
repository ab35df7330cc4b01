/**
 * A request is counted once, even if it is repeated because the settings changed meanwhile.
 */
import type { Tag } from "../../src/decide/Command.ts"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Store } from "../../src/ports/Store.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"

/** Another node changes the organization right after each command of this kind. */
const changedAfter = (tag: Tag) =>
  Layer.sync(Store, () => {
    const store = MemoryStore.make()
    return Store.of({
      ...store,
      execute: (command) =>
        Effect.tap(store.execute(command), () =>
          command._tag === tag
            ? Effect.asVoid(
                store.changeOrganization(command.organization, (organization) => organization),
              )
            : Effect.void,
        ),
    })
  })

const twoInAMinute = { max: 2, windowMillis: 60_000 }
const to = { phoneNumber: "+8801712345678", channel: "whatsapp" } as const

it.effect.each<
  readonly [
    Tag,
    object,
    (
      id: OrganizationId,
    ) => Effect.Effect<unknown, { readonly _tag: string }, Verifications | Messages>,
  ]
>([
  [
    "AdmitVerification",
    { sendsPerNumber: twoInAMinute },
    (organization) => Verifications.use((_) => _.send({ ...to, organization })),
  ],
  [
    "AdmitMessage",
    { messagesPerOrganization: twoInAMinute },
    (organization) => Messages.use((_) => _.send({ ...to, organization, text: "hi" })),
  ],
])(
  "a call counts once when the settings change between its %s and its charge",
  ([tag, limits, call]) =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* Organizations.use((_) => _.update({ id: organization, limits }))
      yield* call(organization)
      yield* call(organization)
      assert.strictEqual((yield* Effect.flip(call(organization)))._tag, "RateLimited")
    }).pipe(Effect.provide(TestEngine.layer({ store: changedAfter(tag) }))),
)
