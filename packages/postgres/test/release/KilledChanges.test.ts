/**
 * SIGKILL at the commits of administrative changes: a change, its event and its entry in the audit are all there, or
 * none of them is.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Commit, databases, killNode, recounted } from "../fixtures/killing.ts"
import { administer } from "../fixtures/node.ts"

interface Point {
  readonly commit: Commit
  readonly point: string
  /** What the actor has done when the node is killed. */
  readonly done: ReadonlyArray<string>
}

const changed = "organization.changed"
const booked = "account.topped_up"

const points: ReadonlyArray<Point> = [
  { point: "before a change of the name", commit: ["changeOrganization", 1, "before"], done: [] },
  {
    point: "after a change of the name",
    commit: ["changeOrganization", 1, "after"],
    done: [changed],
  },
  { point: "before a booking", commit: ["Book", 1, "before"], done: [changed] },
  { point: "after a booking", commit: ["Book", 1, "after"], done: [changed, booked] },
]

/** What the actor has done, by the audit. The event log agrees with it. */
const done = Effect.gen(function* () {
  const { audit, events, organization } = yield* recounted
  const actions = audit.flatMap(({ action, actor }) => (actor === "user_7" ? [action] : []))
  const isRenamed = organization.name === "renamed"
  assert.strictEqual(isRenamed, actions.includes(changed))
  const renamings = events.filter(
    (event) => event._tag === "SettingsChanged" && event.settings.includes("name"),
  )
  assert.lengthOf(renamings, isRenamed ? 1 : 0)
  return actions
})

for (const [name, make] of Object.entries(databases)) {
  describe(`A node on ${name} that is killed`, () => {
    // Every start of PGlite takes seconds.
    const reached = name === "PGlite" ? points.slice(1, 2) : points
    it.effect.each(reached)(
      "$point leaves a change and its entry, or neither",
      ({ commit, done: expected }) =>
        Effect.gen(function* () {
          const behaviour = { honoursToken: true, refusesWhatsApp: false }
          const killed = { action: "administer", commit, ...behaviour } as const
          const { next } = yield* killNode(make, killed, 1_000)
          yield* Effect.gen(function* () {
            assert.deepStrictEqual(yield* done, expected)
            yield* administer
            assert.deepStrictEqual(yield* done, [changed, booked])
          }).pipe(Effect.provide(next))
        }),
      60_000,
    )
  })
}
