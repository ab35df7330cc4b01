import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { failure, phone } from "./support/values.ts"
import { hosts } from "./support/host.ts"

const { host } = hosts()

describe("the event log", () => {
  it("is read and followed from any place, with the events of every method", async () => {
    const { engine } = await host({ prices: { sms: "0.50" } })
    const { last: after } = await engine.events.list()
    const key = await engine.apiKeys.create({ name: "app" })
    await engine.account.topUp({ amount: "10", note: "invoice 7" })
    const sender = { kind: "non-masking", value: "8809600000001" } as const
    await engine.senders.create(sender)
    await engine.organizations.update({ id: "default", limits: { attempts: 9 } })
    const number = phone()
    const { requestId } = await engine.verifications.send({
      phoneNumber: number,
      metadata: { order: 7 },
    })
    await engine.verifications.cancel({ requestId })
    await engine.apiKeys.revoke({ id: key.id })
    const { items: events, first, last } = await engine.events.list({ after })
    assert.deepStrictEqual(
      events.map(({ sequence, type }) => `${sequence - after} ${type}`),
      [
        "1 api_key_created",
        "2 topped_up",
        "3 brand_changed",
        "4 settings_changed",
        "5 message_settled",
        "6 verification_sent",
        "7 verification_cancelled",
        "8 api_key_revoked",
      ],
    )
    assert.deepStrictEqual([first, last], [1, after + 8])
    assert.deepInclude(events[0], { key: { id: key.id, name: "app", environment: "live" } })
    assert.deepInclude(events[1], { amount: "10.00", balance: "10.00", note: "invoice 7" })
    assert.deepInclude(events[6], { requestId, metadata: { order: 7 }, organization: "default" })
    assert.propertyVal(events[6], "phoneNumber", `${number.slice(0, 5)}*****${number.slice(-3)}`)
    const followed: Array<Countersign.LoggedEvent> = []
    for await (const event of engine.events.follow({ after })) {
      followed.push(event)
      if (event.sequence === last) await engine.account.adjust({ amount: "-1", note: "fee" })
      if (event.type === "adjusted") break
    }
    assert.deepStrictEqual(followed.slice(0, -1), events)
    assert.deepInclude(followed.at(-1), { amount: "-1.00", balance: "8.50", sequence: last + 1 })
    const wrong = engine.organization("unknown").events.follow()[Symbol.asyncIterator]()
    assert.instanceOf(await failure(wrong.next()), Countersign.OrganizationNotFoundError)
    const follower = engine.events.follow({ after: last + 1 })[Symbol.asyncIterator]()
    const waiting = failure(follower.next())
    await engine.dispose()
    assert.instanceOf(await waiting, Countersign.DisposedError)
  })
})
