import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, test } from "vitest"
import { temporaryDatabases } from "../../../../test/support/temporaryDatabases.ts"
import { temporaryFolder } from "../../../../test/support/temporaryFolder.ts"
import { lifetimeSeconds, openSessions, type Session, type Sessions } from "../../src/sessions.ts"

const make = temporaryDatabases()
const home = temporaryFolder("countersign-sessions-")

const pending: Session = { phoneNumber: "+8801712345678", requestId: "vrf_1" }
const signedIn: Session = { ...pending, requestId: null }

describe.each([
  ["a server", make],
  ["a folder", async (): Promise<undefined> => undefined],
] as const)("on %s", (_, urlOf) => {
  const open = async (): Promise<Sessions> => openSessions(await urlOf(), home)

  test.each([pending, signedIn])("a session is %j until it is too old", async (session) => {
    const kept = await open()
    const id = await kept.create(session, 1_000)
    const end = 1_000 + lifetimeSeconds(session) * 1_000
    assert.deepStrictEqual(await kept.find(id, end - 1), session)
    assert.isUndefined(await kept.find(id, end))
    assert.isUndefined(await kept.find(`${id}x`, 1_000))
    await kept.close()
  })

  test("a session that has ended is not found", async () => {
    const kept = await open()
    const id = await kept.create(pending, 1_000)
    await kept.remove(id)
    assert.isUndefined(await kept.find(id, 1_000))
    await kept.close()
  })
})

test("a folder keeps sessions across a restart, without their ids", async () => {
  const folder = join(home, "restarted")
  const before = await openSessions(undefined, folder)
  const id = await before.create(signedIn, 1_000)
  await before.close()
  assert.isFalse(readFileSync(join(folder, "sessions.sqlite")).includes(id))
  const after = await openSessions(undefined, folder)
  assert.deepStrictEqual(await after.find(id, 1_001), signedIn)
  await after.close()
})
