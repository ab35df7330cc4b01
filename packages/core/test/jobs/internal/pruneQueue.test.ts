import { assert, describe, it } from "@effect/vitest"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { PruneQueue, pageSize } from "../../../src/jobs/internal/pruneQueue.ts"

const hour = 3_600_000

const organizations = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) =>
    OrganizationId(`org-${String(from + index).padStart(5, "0")}`),
  )

/** Takes all turns of one round. `isMore` says whose step was not enough. */
const round = (
  pruneQueue: PruneQueue,
  page: () => ReadonlyArray<OrganizationId>,
  now: number,
  isMore: (organization: string) => boolean = () => false,
): ReadonlyArray<string> => {
  if (pruneQueue.isScanning(now)) pruneQueue.addPage(page())
  const met: Array<string> = []
  for (let turns = pruneQueue.length; turns > 0; turns--) {
    const visit = pruneQueue.next()
    if (visit === undefined) continue
    met.push(`${visit.organization} ${visit.kind}`)
    if (isMore(visit.organization)) pruneQueue.requeue({ ...visit, after: "on" })
  }
  return met
}

describe("PruneQueue", () => {
  it("stays empty if everything is kept", () => {
    const pruneQueue = new PruneQueue([], hour)
    assert.isFalse(pruneQueue.isScanning(0))
    assert.isTrue(pruneQueue.isOver)
  })

  it("visits every organization once in a walk, page by page, and restarts after the interval", () => {
    const all = organizations(pageSize * 2 + 1)
    const pruneQueue = new PruneQueue(["messages"], hour)
    const page = () => {
      const { after } = pruneQueue
      return all.filter((id) => after === undefined || id > after).slice(0, pageSize)
    }
    for (const start of [0, hour]) {
      const met: Array<string> = []
      do {
        const here = round(pruneQueue, page, start + met.length)
        assert.isAtMost(here.length, pageSize)
        met.push(...here)
      } while (!pruneQueue.isOver)
      assert.deepStrictEqual(
        met,
        all.map((id) => `${id} messages`),
      )
      assert.isFalse(pruneQueue.isScanning(start + hour - 1))
    }
  })

  it.each(["recipients", "refusals"] as const)("visits the %s once a day", (kind) => {
    const pruneQueue = new PruneQueue(["verifications", kind], hour)
    const page = () => organizations(1)
    const met = Array.from(
      { length: 26 },
      (_, hours) => round(pruneQueue, page, hours * hour).length,
    )
    assert.deepStrictEqual(
      met.flatMap((visits, hours) => (visits === 2 ? [hours] : [])),
      [0, 24],
    )
    assert.isTrue(met.every((visits) => visits >= 1))
  })

  it("gives organizations with many rows one step in a round, and visits all others meanwhile", () => {
    const all = organizations(pageSize * 3)
    const pruneQueue = new PruneQueue(["messages"], hour)
    const page = () => {
      const { after } = pruneQueue
      return all.filter((id) => after === undefined || id > after).slice(0, pageSize)
    }
    const rounds = Array.from({ length: 6 }, () =>
      round(pruneQueue, page, 0, (id) => id === "org-00000" || id === "org-00001"),
    )
    for (const met of rounds) {
      assert.strictEqual(met.filter((visit) => visit === "org-00000 messages").length, 1)
      assert.strictEqual(met.filter((visit) => visit === "org-00001 messages").length, 1)
    }
    assert.strictEqual(new Set(rounds.flat()).size, all.length)
    assert.isFalse(pruneQueue.isOver)
  })

  it("remembers where a step ended, also in the next walk", () => {
    const pruneQueue = new PruneQueue(["messages"], hour)
    const page = () => organizations(1)
    round(pruneQueue, page, 0, () => true)
    assert.isTrue(pruneQueue.isScanning(hour))
    pruneQueue.addPage(page())
    assert.strictEqual(pruneQueue.length, 1)
    assert.strictEqual(pruneQueue.next()?.after, "on")
    assert.isUndefined(pruneQueue.next())
  })

  it("never queues more than a thousand besides the current page", () => {
    const pruneQueue = new PruneQueue(["messages"], hour)
    for (let pages = 0; pages < 30; pages++) {
      round(
        pruneQueue,
        () => organizations(pageSize, pages * pageSize),
        0,
        () => true,
      )
      assert.isAtMost(pruneQueue.length, 1_000)
    }
  })
})
