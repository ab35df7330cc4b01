/** What operators read about gateways and reports. */
import { assert, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, untyped } from "./support/values.ts"

const { host } = hosts()

it("gateways are listed with their channels, abilities and rates", async () => {
  const chat: Countersign.Gateway = {
    name: "chat",
    send: async ({ token }) => ({ status: "accepted", gatewayId: token }),
    isReachable: async () => "yes",
    reports: true,
    timeout: "3 seconds",
  }
  const sms = Countersign.developmentGateway()
  const { engine } = await host({ database: "memory", gateways: { sms, whatsapp: chat } })
  const common = { state: "available", reason: null, honoursToken: false, lookup: false } as const
  const rates = { perSecond: null, recipientPause: "0 seconds" } as const
  assert.deepStrictEqual(await engine.gateways.list(), [
    {
      ...common,
      ...rates,
      gateway: "development",
      channels: ["sms"],
      reports: "none",
      recipientCheck: false,
      timeout: "10 seconds",
    },
    {
      ...common,
      ...rates,
      gateway: "chat",
      channels: ["whatsapp"],
      reports: "signed",
      recipientCheck: true,
      timeout: "3 seconds",
    },
  ])
  await engine.dispose()

  const limited = {
    ...chat,
    perSecond: 5,
    recipientPause: "6 seconds",
    channels: ["whatsapp"],
  } as const
  const { engine: routed } = await host({ database: "memory", gateways: [sms, limited] })
  const [one, other] = await routed.gateways.list()
  assert.deepInclude(one, { gateway: "development", channels: ["sms", "whatsapp"], ...rates })
  assert.deepInclude(other, { channels: ["whatsapp"], perSecond: 5, recipientPause: "6 seconds" })
  await routed.dispose()
})

it("reports on unknown messages are listed page by page", async () => {
  const { engine } = await host({ database: "memory" })
  assert.deepStrictEqual(await engine.reports.unmatched(), { items: [], next: null })
  for (const gatewayId of ["one", "two"]) {
    const received = await engine.reports.receive({ gatewayId, status: "delivered" })
    assert.strictEqual(received, "kept")
  }
  const first = await engine.reports.unmatched({ limit: 1 })
  const cursor = first.next ?? assert.fail("there is another page")
  const second = await engine.reports.unmatched({ cursor })
  assert.isNull(second.next)
  const all = [...first.items, ...second.items]
  assert.sameMembers(
    all.map(({ gatewayId }) => gatewayId),
    ["one", "two"],
  )
  assert.instanceOf(all[0]?.receivedAt, Date)
  const error = await failure(engine.reports.unmatched(untyped({ limit: "1" })))
  assert.instanceOf(error, Countersign.InvalidRequestError)
  await engine.dispose()
})
