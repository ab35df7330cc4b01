/**
 * A request is counted once, even if it is repeated because the settings changed meanwhile.
 */
import type { Tag } from "../../src/decide/Command.ts"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Store } from "../../src/ports/Store.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { testOn } from "../support/engineTest.ts"

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

testOn(TestEngine.layer({ store: changedAfter("AdmitVerification") }))(
  "a verification counts once when the settings change between its look-up and its charge",
  function* () {
    const { organization } = yield* TestEngine.open()
    const organizations = yield* Organizations
    yield* organizations.update({ id: organization, limits: { sendsPerNumber: twoInAMinute } })
    const { send } = yield* Verifications
    const request = { organization, phoneNumber: "+8801712345678", channel: "whatsapp" } as const
    yield* send(request)
    yield* send(request)
    const refused = yield* Effect.flip(send(request))
    assert.strictEqual(refused._tag, "RateLimited")
  },
)

testOn(TestEngine.layer({ store: changedAfter("AdmitMessage") }))(
  "a message counts once when the settings change between its look-up and its charge",
  function* () {
    const { organization } = yield* TestEngine.open()
    const organizations = yield* Organizations
    yield* organizations.update({
      id: organization,
      limits: { messagesPerOrganization: twoInAMinute },
    })
    const { send } = yield* Messages
    const message = {
      organization,
      phoneNumber: "8801712345678",
      text: "hi",
      channel: "whatsapp",
    } as const
    yield* send(message)
    yield* send(message)
    const refused = yield* Effect.flip(send(message))
    assert.strictEqual(refused._tag, "RateLimited")
  },
)
