/** What operators read about gateways and reports. */
import { assert, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"

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
})
