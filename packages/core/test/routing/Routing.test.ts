import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import type { Route } from "../../src/routing/Route.ts"
import * as Routing from "../../src/routing/Routing.ts"

const item: Routing.Item = {
  channel: "sms",
  purpose: "verification",
  ref: { organization: OrganizationId("acme"), sequence: 1 },
  sender: "8809612000101",
  phoneNumber: PhoneNumber.fromE164("+8801712345678"),
}

const first = (): number => 0

describe("Routing.matches", () => {
  const table: ReadonlyArray<readonly [string, Omit<Route, "gateway">, boolean]> = [
    ["nothing is asked", {}, true],
    ["its channel", { channels: ["whatsapp", "sms"] }, true],
    ["another channel", { channels: ["whatsapp"] }, false],
    ["its country", { prefixes: ["91", "880"] }, true],
    ["its operator", { prefixes: ["88017"] }, true],
    ["another operator", { prefixes: ["88018"] }, false],
    ["its organization", { organizations: ["acme"] }, true],
    ["another organization", { organizations: ["globex"] }, false],
    ["its sender", { senders: ["8809612000101"] }, true],
    ["another sender", { senders: ["ACME"] }, false],
    ["codes only", { purposes: ["verification"] }, true],
    ["messages only", { purposes: ["message"] }, false],
    ["one thing of two is another's", { channels: ["sms"], prefixes: ["1"] }, false],
  ]
  it.each(table)("%s", (_, route, fits) => {
    assert.strictEqual(Routing.matches({ gateway: "a", ...route }, item), fits)
  })
})

describe("Routing.plan", () => {
  it("takes lower priorities first, and each gateway once", () => {
    const routes: ReadonlyArray<Route> = [
      { gateway: "c", priority: 2 },
      { gateway: "b", priority: 1, prefixes: ["880"] },
      { gateway: "a", priority: -1, channels: ["whatsapp"] },
      { gateway: "b" },
    ]
    assert.deepStrictEqual(Routing.plan(routes, item, first), ["b", "c"])
  })

  it("orders gateways of one priority randomly by their weights", () => {
    const routes: ReadonlyArray<Route> = [
      { gateway: "a", weight: 3 },
      { gateway: "b", weight: 1 },
      { gateway: "last", weight: 0 },
    ]
    const planned = (mark: number): string => Routing.plan(routes, item, () => mark).join("")
    assert.strictEqual(planned(0), "ablast")
    assert.strictEqual(planned(0.74), "ablast")
    assert.strictEqual(planned(0.76), "balast")
    const all = Array.from({ length: 1_000 }, (_, index) => planned(index / 1_000))
    assert.strictEqual(all.filter((order) => order.startsWith("a")).length, 750)
  })

  it("law: every plan has the matching gateways, each once, lower priorities first", () => {
    const route = FastCheck.record({
      gateway: FastCheck.constantFrom("a", "b", "c", "d"),
      priority: FastCheck.integer({ min: 0, max: 2 }),
      weight: FastCheck.nat(3),
      prefixes: FastCheck.constantFrom(undefined, ["880"], ["1"]),
    })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(route),
        FastCheck.double({ min: 0, max: 0.999, noNaN: true }),
        (routes, mark) => {
          const planned = Routing.plan(routes, item, () => mark)
          const fitting = routes.filter((one) => Routing.matches(one, item))
          assert.sameMembers([...planned], [...new Set(fitting.map(({ gateway }) => gateway))])
          const best = planned.map((gateway) =>
            Math.min(...fitting.filter((one) => one.gateway === gateway).map((o) => o.priority)),
          )
          assert.deepStrictEqual(best, best.toSorted())
        },
      ),
    )
  })
})

const outcomes: ReadonlyArray<readonly [GatewayOutcome, Routing.Next, Routing.Signal]> = [
  [{ _tag: "Accepted", gatewayId: "1" }, "end", "success"],
  [{ _tag: "Delivered", gatewayId: "1" }, "end", "success"],
  [{ _tag: "Unknown", message: "" }, "end", "failure"],
  [{ _tag: "Rejected", reason: "recipient", message: "" }, "end", "success"],
  [{ _tag: "Rejected", reason: "content", message: "" }, "end", "success"],
  [{ _tag: "Rejected", reason: "sender", message: "" }, "next gateway", "success"],
  [{ _tag: "Rejected", reason: "account", message: "" }, "next gateway", "rejection"],
  [{ _tag: "Throttled", message: "" }, "later", "none"],
  [{ _tag: "NotSent", message: "" }, "later", "failure"],
]

describe("Routing.nextStep", () => {
  it.each(outcomes)("%o → %s, and the gateway is %s", (outcome, next, health) => {
    assert.strictEqual(Routing.nextStep(outcome), next)
    assert.strictEqual(Routing.signalOf(outcome), health)
  })
})

describe("Routing.problems", () => {
  const table: ReadonlyArray<readonly [Route, RegExp]> = [
    [{ gateway: "missing" }, /there is no gateway "missing"/],
    [{ gateway: "a", priority: Number.NaN }, /priority/],
    [{ gateway: "a", weight: -1 }, /weight/],
    [{ gateway: "a", prefixes: ["+880"] }, /"\+880" is no beginning/],
  ]
  it.each(table)("%o", (route, reason) => {
    assert.match(Routing.problems([{ gateway: "a" }, route], ["a"]).join(), reason)
  })

  it("finds a gateway that no message can reach", () => {
    assert.deepStrictEqual(Routing.problems([{ gateway: "a" }], ["a", "b"]), ['"b" has no route'])
    assert.deepStrictEqual(Routing.problems([{ gateway: "a" }, { gateway: "b" }], ["a", "b"]), [])
  })
})
