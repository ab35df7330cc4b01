import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import {
  begin,
  commit,
  type Statement,
  unprepared,
} from "../../../src/internal/connection/pipeline.ts"
import type { Answers } from "../../../src/internal/connection/session.ts"
import { DriverSession } from "../../../src/internal/host/driverSession.ts"

const answersOf = (session: DriverSession, ...statements: ReadonlyArray<Statement>) =>
  new Promise<Answers>((done) => session.run(statements, done))

/**
 * A transaction of a driver that ends it as `end` says, given the promise of its argument. `before` is called between
 * the begin and the commit. Returns what the driver has run.
 */
const commitWith = async (
  end: <A>(running: Promise<A>) => Promise<A>,
  before: () => void = () => undefined,
) => {
  const texts: Array<string> = []
  const queries = {
    query: async (text: string) => {
      texts.push(text)
      return []
    },
  }
  const driver = {
    ...queries,
    transaction: <A>(run: (own: typeof queries) => Promise<A>) => end(run(queries)),
  }
  const session = new DriverSession(driver, new Map())
  assert.isTrue(Exit.isSuccess(await answersOf(session, begin)))
  before()
  await new Promise(setImmediate)
  const exit = await answersOf(session, unprepared("SELECT 1"), commit)
  assert.isFalse(session.isInTransaction)
  return { isCommitted: Exit.isSuccess(exit), texts }
}

describe("the session of a driver", () => {
  it("commits a transaction that the driver keeps open", async () => {
    const done = await commitWith((running) => running)
    assert.deepStrictEqual(done, { isCommitted: true, texts: ["SELECT 1"] })
  })

  it("does not commit one that the driver has ended, and runs no further statement", async () => {
    // Such as Prisma, which ends a transaction by its own time limit.
    const limit = Promise.withResolvers<never>()
    const done = await commitWith(
      (running) => Promise.race([running, limit.promise]),
      () => limit.reject(new Error("Transaction already closed")),
    )
    assert.deepStrictEqual(done, { isCommitted: false, texts: [] })
  })
})
