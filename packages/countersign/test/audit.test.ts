import { assert, describe, it } from "vitest"
import { hosts } from "./support/host.ts"

const { host } = hosts()
const database = "memory"

describe("the audit", () => {
  it("names the actor in whose name a change was made", async () => {
    const { engine } = await host({ database })
    const { last } = await engine.audit.list()
    const admin = engine.as({ id: "user_7", origin: "192.0.2.1" })
    const key = await admin.apiKeys.create({ name: "app" })
    await admin.account.topUp({ amount: "10", paymentId: "bkash-1", note: "invoice 7" })
    await engine
      .as({ id: "cron", reason: "new owner" })
      .organizations.update({ id: "default", name: "Acme" })
    await engine.account.adjust({ amount: "-0.5", note: "fee" })
    await admin.audit.record({ action: "login", target: "dashboard", reason: "support" })
    const { items: entries } = await engine.audit.list({ limit: 5 })
    assert.deepStrictEqual(
      entries.map(({ action, actor, origin, reason, sequence }) => [
        sequence - last,
        actor,
        origin,
        action,
        reason,
      ]),
      [
        [5, "user_7", "192.0.2.1", "login", "support"],
        [4, "host", null, "account.adjusted", "fee"],
        [3, "cron", null, "organization.changed", "new owner"],
        [2, "user_7", "192.0.2.1", "account.topped_up", "invoice 7"],
        [1, "user_7", "192.0.2.1", "api_key.created", null],
      ],
    )
    const { at, ...created } = entries[4] ?? assert.fail("there is no entry")
    assert.instanceOf(at, Date)
    assert.deepInclude(created, { target: key.id, before: null })
    assert.deepInclude(created.after, { name: "app", environment: "live" })
    assert.deepInclude(entries[3], { before: { balance: "0.00" }, after: { balance: "10.00" } })
    const { next } = await engine.audit.list({ limit: 4 })
    const older = await engine.audit.list({ cursor: next ?? assert.fail("no next page"), limit: 1 })
    assert.deepInclude(older, { items: entries.slice(4), first: 1, last: last + 5 })
    const ofUser = { actor: "USER_", from: at, to: new Date(), action: "top", target: "" }
    const selected = await engine.audit.list(ofUser)
    assert.deepStrictEqual([selected.items, selected.next], [[entries[3]], null])
    assert.notInclude(JSON.stringify(await engine.audit.list()), key.key.slice(-20))
  })
})
