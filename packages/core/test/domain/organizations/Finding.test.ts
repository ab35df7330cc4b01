import { assert, describe, it } from "vitest"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import { dayMillis, hourMillis, type Total } from "../../../src/domain/money/Total.ts"
import { daysLeft, type Facts, findings } from "../../../src/domain/organizations/Finding.ts"

const now = Date.UTC(2026, 10, 27, 12)

const total = (given: Partial<Total>): Total => ({
  organization: OrganizationId("acme"),
  at: now - hourMillis,
  kind: "messages",
  channel: "sms",
  gateway: "one",
  country: "BD",
  network: "",
  outcome: "delivered",
  reason: "",
  count: 1,
  amount: Money.zero,
  refunded: Money.zero,
  ...given,
})

/** As many messages an hour, from so many hours ago to so many: delivered and not. */
const messages = (
  from: number,
  to: number,
  delivered: number,
  failed: number,
  given: Partial<Total> = {},
): ReadonlyArray<Total> =>
  Array.from({ length: from - to }, (_, index) => now - (from - index) * hourMillis).flatMap(
    (at) => [
      total({ at, count: delivered, ...given }),
      total({ at, count: failed, outcome: "undelivered", ...given }),
    ],
  )

const requests = (from: number, to: number, opened: number, verified: number) =>
  messages(from, to, 0, 0).flatMap(({ at, outcome }) =>
    outcome === "delivered"
      ? [
          total({ at, kind: "requests", channel: "", outcome: "opened", count: opened }),
          total({ at, kind: "requests", channel: "", outcome: "verified", count: verified }),
        ]
      : [],
  )

const facts = (given: Partial<Facts> = {}): Facts => ({
  now,
  hasDefaultSender: true,
  balance: Money.make("1000"),
  balanceLowAt: null,
  gateways: [{ gateway: "one", state: "available" }],
  totals: [],
  webhooks: [],
  oldestMessageAt: undefined,
  keptMillis: Infinity,
  ...given,
})

/** A line for each finding: its code, urgency, hours since, page and parameters. */
const lines = (given: Partial<Facts>) =>
  findings(facts(given)).map(({ code, isUrgent, parameters, since, target }) =>
    [
      isUrgent ? "!" : " ",
      code,
      since === null ? "-" : `${(now - since) / hourMillis}h`,
      [target.page, ...(target.id === null ? [] : [target.id])].join("/"),
      JSON.stringify(parameters),
    ].join(" "),
  )

const webhook = {
  id: "whk_1",
  url: "https://shop.example/hook",
  status: "active",
  troubledSince: null,
} as const

describe("what is wrong", () => {
  const rows: ReadonlyArray<readonly [string, Partial<Facts>, ReadonlyArray<string>]> = [
    ["nothing", {}, []],
    ["no sender", { hasDefaultSender: false }, ["! no_sender - senders {}"]],
    [
      "a gateway that is paused",
      { gateways: [{ gateway: "one", state: "failing" }] },
      ['! gateway_paused - gateways/one {"gateway":"one","state":"failing"}'],
    ],
    [
      "a delivery that fell two hours ago, in a window of three hours",
      { totals: [...messages(190, 2, 19, 1), ...messages(2, 0, 5, 15)] },
      ['! delivered_fell 2h messages {"channel":"sms","before":95,"now":48.3}'],
    ],
    [
      "a delivery over WhatsApp alone",
      {
        totals: [
          ...messages(190, 0, 19, 1),
          ...messages(190, 5, 9, 1, { channel: "whatsapp" }),
          ...messages(5, 0, 5, 5, { channel: "whatsapp" }),
        ],
      },
      ['! delivered_fell 5h messages {"channel":"whatsapp","before":89.6,"now":50}'],
    ],
    [
      "few messages, whose hours tell no time",
      { totals: [...messages(190, 24, 1, 0), ...messages(24, 0, 0, 1)] },
      ['! delivered_fell 24h messages {"channel":"sms","before":100,"now":0}'],
    ],
    [
      "fewer than twenty cases",
      { totals: [...messages(190, 24, 5, 0), ...messages(3, 0, 0, 6)] },
      [],
    ],
    [
      "less than ten points",
      { totals: [...messages(190, 24, 90, 10), ...messages(24, 0, 82, 18)] },
      [],
    ],
    [
      "a fall that chance explains",
      { totals: [...messages(190, 180, 2, 1), ...messages(21, 0, 1, 1)] },
      [],
    ],
    [
      "a delivery that is well again",
      {
        totals: [...messages(190, 20, 19, 1), ...messages(20, 2, 5, 15), ...messages(2, 0, 19, 1)],
      },
      [],
    ],
    [
      "messages without an outcome do not count",
      { totals: [...messages(190, 3, 19, 1), ...messages(3, 0, 0, 20, { outcome: "accepted" })] },
      [],
    ],
    [
      "codes that are verified less often",
      { totals: [...requests(190, 24, 10, 8), ...requests(24, 0, 10, 4)] },
      ['! verified_fell 24h verifications {"before":80,"now":40}'],
    ],
    [
      "a balance that lasts a day",
      {
        balance: Money.make("15"),
        totals: messages(168, 0, 1, 0, { amount: Money.make("0.25") }),
      },
      ['! balance_days - balance {"days":1,"balance":"15.00"}'],
    ],
    [
      "a balance that lasts five days",
      {
        balance: Money.make("60"),
        balanceLowAt: Money.make("100"),
        totals: messages(168, 0, 1, 0, { amount: Money.make("0.25") }),
      },
      ['  balance_days - balance {"days":5,"balance":"60.00"}'],
    ],
    [
      "an empty balance",
      { balance: Money.zero, totals: [total({ amount: Money.make("1") })] },
      ['! balance_empty - balance {"balance":"0.00"}'],
    ],
    ["a balance of nothing that was never used", { balance: Money.zero }, []],
    [
      "a balance below the organization's own bound",
      { balance: Money.make("19.99"), balanceLowAt: Money.make("20") },
      ['  balance_low - balance {"balance":"19.99","lowAt":"20.00"}'],
    ],
    ["a balance at its bound", { balance: Money.make("20"), balanceLowAt: Money.make("20") }, []],
    [
      "a webhook in trouble",
      { webhooks: [{ ...webhook, troubledSince: now - hourMillis }] },
      ['  webhook_failing 1h webhooks/whk_1 {"host":"shop.example","status":"active"}'],
    ],
    [
      "a webhook that has ended",
      { webhooks: [{ ...webhook, status: "gone", troubledSince: now - hourMillis }] },
      ['! webhook_failing 1h webhooks/whk_1 {"host":"shop.example","status":"gone"}'],
    ],
    [
      "a webhook in trouble for minutes",
      { webhooks: [{ ...webhook, troubledSince: now - 60_000 }] },
      [],
    ],
    [
      "rows that should be gone",
      { oldestMessageAt: now - 33 * dayMillis, keptMillis: 30 * dayMillis },
      ['  retention_behind 72h settings {"days":3}'],
    ],
    [
      "rows that are a day late",
      { oldestMessageAt: now - 31 * dayMillis, keptMillis: 30 * dayMillis },
      [],
    ],
    ["old rows that are kept forever", { oldestMessageAt: 0 }, []],
    [
      "several causes, the urgent ones first",
      {
        balance: Money.make("1"),
        balanceLowAt: Money.make("2"),
        webhooks: [{ ...webhook, status: "failing" }],
        gateways: [{ gateway: "one", state: "barred" }],
      },
      [
        '! gateway_paused - gateways/one {"gateway":"one","state":"barred"}',
        '! webhook_failing - webhooks/whk_1 {"host":"shop.example","status":"failing"}',
        '  balance_low - balance {"balance":"1.00","lowAt":"2.00"}',
      ],
    ],
  ]
  it.each(rows)("%s", (_, given, expected) => {
    assert.deepStrictEqual(lines(given), expected)
  })
})

describe("the days that a balance lasts", () => {
  const spent = (amount: string, hoursAgo: number, refunded = "0") =>
    total({
      at: now - hoursAgo * hourMillis,
      amount: Money.make(amount),
      refunded: Money.make(refunded),
    })
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<Total>, number | undefined]> = [
    ["is unknown without spending", [], undefined],
    ["is unknown if all was refunded", [spent("1", 24, "1")], undefined],
    ["follows from the whole week", [spent("7", 168)], 100],
    ["follows from the days since the first message", [spent("10", 48), spent("10", 1)], 10],
    ["follows from a day at least", [spent("10", 1)], 10],
    ["counts no older spending", [spent("100", 169), spent("7", 168)], 100],
    ["counts no refunds", [spent("14", 168, "7")], 100],
  ]
  it.each(rows)("%s", (_, totals, expected) => {
    assert.strictEqual(daysLeft({ balance: Money.make("100"), now, totals }), expected)
  })
})
