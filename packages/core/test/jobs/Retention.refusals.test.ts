import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Store } from "../../src/ports/Store.ts"
import { layer, Retention } from "../../src/jobs/Retention.ts"
import * as RetentionPolicy from "../../src/engine/RetentionPolicy.ts"
import { filled, watched } from "../support/retaining.ts"

describe("Retention", () => {
  it.effect("drops refusals after 90 days by default, and no other rows", () =>
    Effect.gen(function* () {
      const { steps, store } = watched(yield* filled({ acme: 3 }))
      yield* Retention.use((_) => _.round).pipe(
        Effect.provide(layer.pipe(Layer.provide(Layer.succeed(Store, store)))),
      )
      assert.deepStrictEqual(
        steps.map(({ kind, organization }) => `${organization} ${kind}`),
        ["acme refusals"],
      )
      assert.deepInclude(steps[0], { keepMillis: Duration.toMillis(Duration.days(90)) })
    }),
  )

  it("keeps refusals no longer than requests", () => {
    const kept = (overrides: Partial<RetentionPolicy.RetentionPolicy>) =>
      RetentionPolicy.keptFor({ ...RetentionPolicy.defaults, ...overrides }).refusals
    assert.deepStrictEqual(kept({ verifications: Duration.days(30) }), Duration.days(30))
    assert.deepStrictEqual(kept({ verifications: Duration.days(365) }), Duration.days(90))
    assert.deepStrictEqual(kept({ refusals: Duration.days(365) }), Duration.days(365))
  })
})
