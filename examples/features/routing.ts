/** A second gateway carries messages that the first one cannot send. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway, type Gateway } from "countersign"

// Stand-ins for gateways of `countersign/gateways`, or of your own.
const first: Gateway<"first"> = {
  name: "first",
  send: () => Promise.resolve({ status: "not_sent", message: "no connection" }),
}
const second = { ...developmentGateway(), name: "second" } as const
await using countersign = await createCountersign({
  database: "memory",
  gateways: [{ ...first, perSecond: 50 }, second],
  routing: {
    routes: [
      { gateway: "first", channels: ["sms"], prefixes: ["880"], priority: 0 },
      { gateway: "second", priority: 1 },
    ],
    pauseAfter: 1,
  },
  log: () => {},
})
const { gateways, messages } = countersign

await messages.send({ phoneNumber: "+8801712345678", text: "Your parcel is here." })
const [message] = (await messages.list()).items
assert.deepEqual([message?.status, message?.gateway], ["delivered", "second"])

const states = (await gateways.health()).map(({ gateway, state }) => [gateway, state])
assert.deepEqual(states, [
  ["first", "failing"],
  ["second", "available"],
])
