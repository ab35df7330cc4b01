import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import {
  type Kind,
  type BatchBounds,
  CommitQueue,
  type Exclusions,
} from "../../../src/internal/batches/commitQueue.ts"

interface One {
  readonly organization: string
  readonly isEnding: boolean
  readonly isUrgent: boolean
  readonly id: number
}

const everything: BatchBounds = {
  max: Infinity,
  maxPerOrganization: Infinity,
  hotSize: Infinity,
  maxOrganizations: Infinity,
}

const nowhere: Exclusions = { busy: new Set(), kinds: new Set() }

const filled = (
  organizations: string,
  isUrgent: (id: number) => boolean = () => true,
): CommitQueue<One> => {
  const queue = new CommitQueue<One>()
  for (const [id, name] of [...organizations].entries()) {
    // A capital letter ends something.
    queue.add({
      organization: name.toLowerCase(),
      isEnding: name !== name.toLowerCase(),
      isUrgent: isUrgent(id),
      id,
    })
  }
  return queue
}

const taken = (queue: CommitQueue<One>, share: Partial<BatchBounds>): string =>
  queue
    .take({ ...everything, ...share }, nowhere)
    .entries.map(({ id, organization }) => `${organization}${id}`)
    .join(" ")

describe("CommitQueue", () => {
  it("alternates between organizations when one has more than its share", () => {
    const queue = filled("aaaaab")
    assert.strictEqual(taken(queue, { maxPerOrganization: 2 }), "a0 a1 b5")
    queue.add({ organization: "c", isEnding: false, isUrgent: true, id: 6 })
    assert.strictEqual(taken(queue, { maxPerOrganization: 2 }), "a2 a3 c6")
    assert.strictEqual(taken(queue, { maxPerOrganization: 2 }), "a4")
  })

  it("commits a hot organization separately from regular ones", () => {
    const queue = filled("abaaaaac")
    assert.strictEqual(queue.kindOf("a", { hotSize: 2 }), "hot")
    assert.strictEqual(taken(queue, { hotSize: 2 }), "a0 a2 a3 a4")
    assert.strictEqual(taken(queue, { hotSize: 2 }), "b1 c7")
    assert.strictEqual(taken(queue, { hotSize: 3 }), "a5 a6")
    assert.strictEqual(queue.kindOf("a", { hotSize: 2 }), "regular")
  })

  it("skips a kind that another lane is committing", () => {
    const queue = filled("aaab")
    const share = { ...everything, hotSize: 3 }
    const without = (kind: Kind): string =>
      queue
        .take(share, { busy: new Set(), kinds: new Set([kind]) })
        .entries.map(({ organization }) => organization)
        .join("")
    assert.strictEqual(without("hot"), "b")
    assert.strictEqual(without("hot"), "")
    assert.strictEqual(without("regular"), "aaa")
  })

  it("serves organizations that waited before those that were served", () => {
    const queue = filled("aaabbc")
    assert.strictEqual(taken(queue, { max: 2 }), "a0 a1")
    assert.strictEqual(taken(queue, { max: 2 }), "b3 b4")
    assert.strictEqual(taken(queue, { max: 2 }), "c5 a2")
  })

  it("takes ending commands first, and does not count them toward the share", () => {
    const queue = filled("aaAbAB")
    assert.strictEqual(queue.size, 3)
    assert.strictEqual(taken(queue, { maxPerOrganization: 3 }), "a2 a4 a0 b5 b3")
    assert.strictEqual(queue.size, 1)
    assert.isFalse(queue.isIdle)
    assert.strictEqual(taken(queue, {}), "a1")
    assert.isTrue(queue.isIdle)
  })

  it("keeps a quarter of the room for new commands, when both kinds wait", () => {
    const queue = filled("AAAAAAAAAAAAaaaa")
    assert.strictEqual(taken(queue, { max: 8 }), "a0 a1 a2 a3 a4 a5 a12 a13")
    assert.strictEqual(taken(queue, { maxPerOrganization: 4 }), "a6 a7 a8 a14")
    // One place goes to an ending command.
    assert.strictEqual(taken(queue, { max: 1 }), "a9")
    assert.strictEqual(taken(queue, { max: 2 }), "a10 a15")
    assert.strictEqual(taken(queue, {}), "a11")
  })

  const rooms = [
    { name: "few are still to begin", waits: "AAAAAAAAAAa", takes: "a0 a1 a2 a3 a4 a5 a6 a10" },
    { name: "nothing is still to begin", waits: "AAAAAAAAAA", takes: "a0 a1 a2 a3 a4 a5 a6 a7" },
    { name: "few were begun", waits: "aaaaaaaaaaA", takes: "a10 a0 a1 a2 a3 a4 a5 a6" },
    { name: "nothing was begun", waits: "aaaaaaaaaa", takes: "a0 a1 a2 a3 a4 a5 a6 a7" },
  ]
  for (const { name, takes, waits } of rooms) {
    it(`leaves no room unused when ${name}`, () => {
      assert.strictEqual(taken(filled(waits), { max: 8 }), takes)
    })
  }

  it("skips busy organizations", () => {
    const queue = filled("abab")
    const first = queue.take(everything, { busy: new Set(["a"]), kinds: new Set() })
    assert.deepStrictEqual(
      first.entries.map(({ id }) => id),
      [1, 3],
    )
    assert.strictEqual(taken(queue, {}), "a0 a2")
  })

  it("puts commands back before later ones, and then commits their organization alone until it is unlocked", () => {
    const queue = filled("aAab")
    const { entries } = queue.take(everything, nowhere)
    for (const [id, name] of [..."aAb"].entries()) {
      const isEnding = name === "A"
      queue.add({ organization: name.toLowerCase(), isEnding, isUrgent: true, id: 4 + id })
    }
    queue.putBack(entries.filter(({ organization }) => organization === "a"))
    assert.strictEqual(queue.size, 4)
    assert.strictEqual(queue.kindOf("a", everything), "locked")
    assert.strictEqual(taken(queue, {}), "a1 a5 a0 a2 a4")
    assert.strictEqual(taken(queue, {}), "b6")

    const next = () => {
      queue.add({ organization: "b", isEnding: false, isUrgent: true, id: 7 })
      queue.add({ organization: "a", isEnding: false, isUrgent: true, id: 8 })
      queue.add({ organization: "c", isEnding: false, isUrgent: true, id: 9 })
    }
    next()
    assert.strictEqual(taken(queue, {}), "b7 c9")
    assert.strictEqual(taken(queue, {}), "a8")
    next()
    queue.setUnlocked("a")
    assert.strictEqual(taken(queue, {}), "b7 a8 c9")
  })

  it("remembers a limited number of locked organizations", () => {
    const queue = new CommitQueue<One>()
    const names = Array.from({ length: 1_001 }, (_, index) => `organization ${index}`)
    for (const name of names) queue.setLocked(name)
    assert.deepStrictEqual(
      [0, 1, 1_000].map((index) => queue.kindOf(`organization ${index}`, everything)),
      ["regular", "locked", "locked"],
    )
  })

  it("takes commands that are not urgent with the others only, and before new ones", () => {
    const queue = filled("ABaBb", (id) => id >= 2)
    assert.strictEqual(queue.patient, 2)
    assert.strictEqual(taken(queue, { maxOrganizations: 1 }), "a0 a2")
    assert.strictEqual(queue.patient, 1)
    assert.strictEqual(taken(queue, {}), "b1 b3 b4")
    assert.strictEqual(queue.patient, 0)
  })

  it("takes commands that are not urgent alone once they have to hurry", () => {
    const queue = filled("AB", () => false)
    assert.isTrue(queue.isIdle)
    assert.deepStrictEqual(queue.take(everything, nowhere), { entries: [], kind: undefined })
    queue.hurry()
    assert.isFalse(queue.isIdle)
    assert.strictEqual(taken(queue, {}), "a0 b1")
    assert.isTrue(queue.isIdle)
  })

  it("makes commands urgent that it takes back", () => {
    const queue = filled("Ab", (id) => id > 0)
    queue.putBack(queue.take(everything, nowhere).entries)
    assert.strictEqual(queue.patient, 0)
    assert.strictEqual(taken(queue, {}), "b1")
    assert.isFalse(queue.isIdle)
    assert.strictEqual(taken(queue, {}), "a0")
  })

  it("lets no outcomes pile up behind the commands that cause them", () => {
    const room = 64
    const queue = new CommitQueue<One>()
    const begin = { organization: "a", isEnding: false, isUrgent: true, id: 0 }
    for (let commits = 0; commits < 50; commits++) {
      while (queue.size < 4 * room) queue.add(begin)
      const { entries } = queue.take(
        { ...everything, max: room, maxPerOrganization: room },
        nowhere,
      )
      const begun = entries.filter(({ isEnding }) => !isEnding)
      for (const one of begun) queue.add({ ...one, isEnding: true, isUrgent: false })
      assert.isAtMost(queue.patient, room)
    }
  })

  it("law: every command is taken once, in order, within the share, and waits at most one round", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.constantFrom("a", "b", "c", "d"), { maxLength: 60 }),
        FastCheck.func(FastCheck.boolean()),
        FastCheck.record({
          max: FastCheck.integer({ min: 1, max: 20 }),
          maxPerOrganization: FastCheck.integer({ min: 1, max: 10 }),
          hotSize: FastCheck.integer({ min: 1, max: 10 }),
          maxOrganizations: FastCheck.integer({ min: 1, max: 4 }),
        }),
        (organizations, isUrgent, share) => {
          const queue = filled(organizations.join(""), isUrgent)
          const all: Array<One> = []
          while (all.length < organizations.length) {
            if (queue.isIdle) {
              assert.strictEqual(queue.patient, organizations.length - all.length)
              queue.hurry()
            }
            const { entries: some } = queue.take(share, nowhere)
            const counts = Map.groupBy(some, ({ organization }) => organization)
            assert.isAtLeast(some.length, 1)
            assert.isAtMost(some.length, share.max)
            assert.isAtMost(counts.size, share.maxOrganizations)
            for (const [, own] of counts) assert.isAtMost(own.length, share.maxPerOrganization)
            all.push(...some)
          }
          assert.strictEqual(all.length, organizations.length)
          for (const [, own] of Map.groupBy(all, ({ organization }) => organization)) {
            assert.deepStrictEqual(
              own,
              own.toSorted((x, y) => x.id - y.id),
            )
          }
        },
      ),
    )
  })
})
