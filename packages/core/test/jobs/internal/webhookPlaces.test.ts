import { assert, describe, it } from "@effect/vitest"
import { OrganizationId, WebhookId } from "../../../src/domain/values/Ids.ts"
import { WebhookPlaces } from "../../../src/jobs/internal/webhookPlaces.ts"

const ref = (name: string) => ({
  organization: OrganizationId(name.slice(0, 1)),
  id: WebhookId(name),
})

/** Waiting webhooks whose names begin with the organization. */
const waiting = (total: number, ...names: ReadonlyArray<string>) => {
  const places = new WebhookPlaces({ total, perOrganization: 2 })
  places.offer(names.map(ref))
  const next = () => places.next()?.id
  return { places, next }
}

describe("WebhookPlaces", () => {
  it("gives places to organizations in turn, two to each", () => {
    const { next, places } = waiting(5, "a1", "a2", "a3", "b1", "c1", "c2", "c3")
    const first = [next(), next(), next(), next(), next(), next()]
    assert.deepStrictEqual(first, ["a1", "b1", "c1", "a2", "c2", undefined])
    places.leave(ref("b1"))
    // Both other organizations have two places.
    assert.isUndefined(next())
    places.offer([ref("d1")])
    assert.strictEqual(next(), "d1")
    places.leave(ref("c1"))
    places.leave(ref("a2"))
    assert.deepStrictEqual([next(), next(), next()], ["a3", "c3", undefined])
    assert.isFalse(places.isWaiting)
  })

  it("knows a webhook until it leaves its place", () => {
    const { next, places } = waiting(2, "a1", "a1", "b1")
    assert.strictEqual(places.size, 2)
    assert.deepStrictEqual([next(), next(), next()], ["a1", "b1", undefined])
    places.offer([ref("a1")])
    assert.isFalse(places.isWaiting)
    places.leave(ref("a1"))
    places.offer([ref("a1")])
    assert.strictEqual(next(), "a1")
  })

  it("lets a webhook in that has not waited, if there is a place for it", () => {
    const { places } = waiting(3)
    const names = ["a1", "a1", "a2", "a3", "b1", "c1"]
    assert.deepStrictEqual(
      names.map((name) => places.enter(ref(name))),
      [true, false, true, false, true, false],
    )
    places.leave(ref("a1"))
    assert.deepStrictEqual([places.enter(ref("c1")), places.size], [true, 3])
  })
})
