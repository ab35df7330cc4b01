import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Account from "../../../src/domain/money/Account.ts"
import * as Money from "../../../src/domain/values/Money.ts"

const { money, now } = Samples

/** As in `9.50 + 0.50 held | hold 0.50 for 1, leaves 9.50 + 0.50`. */
const summaryOf = ({ account, entries }: Account.Posting): string => {
  const lines = entries.map(({ amount, balance, held, kind, messageSequence, note, sequence }) =>
    [
      `${sequence}: ${kind} ${Money.format(amount)}`,
      messageSequence === null ? `"${note}"` : `for ${messageSequence}`,
      `leaves ${Money.format(balance)} + ${Money.format(held)}`,
    ].join(" "),
  )
  return [`${Money.format(account.balance)} + ${Money.format(account.held)} held`, ...lines].join(
    " | ",
  )
}

const booking = (
  kind: Account.Booking["kind"],
  amount: Money.Money,
  note = "",
): Account.Booking => ({
  kind,
  amount,
  note,
  paymentId: "p1",
  actor: { id: "host" },
})

const account = Samples.account({
  balance: money("10"),
  held: money("1"),
  entries: 6,
  lastMessage: 3,
})

const fourth = (price: string) => ({ sequence: 4, charge: money(price), createdAt: now })

const held = (amount: string) =>
  Result.getOrThrow(Account.hold(account, money(amount), undefined, now))
const booked = (kind: Account.Booking["kind"], amount: string, note: string) =>
  Result.getOrThrow(Account.book(account, booking(kind, money(amount), note), now))
const ended = (kind: "capture" | "release") => Account.endHold(account, kind, fourth("0.5"), now)

const table: ReadonlyArray<readonly [does: string, posting: Account.Posting, ends: string]> = [
  ["hold", held("0.5"), "9.50 + 1.50 held | 7: hold 0.50 for 4 leaves 9.50 + 1.50"],
  ["hold of everything", held("10"), "0.00 + 11.00 held | 7: hold 10.00 for 4 leaves 0.00 + 11.00"],
  ["hold of nothing", held("0"), "10.00 + 1.00 held"],
  ["capture", ended("capture"), "10.00 + 0.50 held | 7: capture 0.50 for 4 leaves 10.00 + 0.50"],
  ["release", ended("release"), "10.50 + 0.50 held | 7: release 0.50 for 4 leaves 10.50 + 0.50"],
  [
    "top-up",
    booked("top-up", "5", "cash"),
    '15.00 + 1.00 held | 7: top-up 5.00 "cash" leaves 15.00 + 1.00',
  ],
  [
    "adjustment up",
    booked("adjustment", "5", "gift"),
    '15.00 + 1.00 held | 7: adjustment 5.00 "gift" leaves 15.00 + 1.00',
  ],
  [
    "adjustment down",
    booked("adjustment", "-10", "error"),
    '0.00 + 1.00 held | 7: adjustment -10.00 "error" leaves 0.00 + 1.00',
  ],
]

describe("Account", () => {
  it.each(table)("%s: %2$s", (_, posting, ends) => assert.strictEqual(summaryOf(posting), ends))

  it("keeps the payment id of a top-up or an adjustment, and of no other entry", () => {
    for (const [, { entries }] of table) {
      for (const { messageSequence, paymentId } of entries) {
        assert.strictEqual(paymentId, messageSequence === null ? "p1" : null)
      }
    }
  })

  it("numbers the next message with its hold, and adds its price to the day's spending", () => {
    const after = held("0.5").account
    assert.deepInclude(after, { lastMessage: 4, spent: money("0.5") })
    const released = Account.endHold(after, "release", fourth("0.5"), now)
    assert.deepInclude(released.account, { lastMessage: 4, spent: Money.zero })
    const captured = Account.endHold(after, "capture", fourth("0.5"), now)
    assert.deepInclude(captured.account, { lastMessage: 4, spent: money("0.5") })
  })

  it("refuses a hold above the balance without the held money", () => {
    const required = Money.fromUnits(account.balance + 1)
    assert.deepStrictEqual(
      Account.hold(account, required, undefined, now),
      Result.fail({ _tag: "Insufficient", required, available: money("10") }),
    )
  })

  it("refuses a top-up beyond the largest exact amount, held money included", () => {
    const most = Money.fromUnits(Number.MAX_SAFE_INTEGER - account.balance - account.held)
    const over = Money.fromUnits(most + 1)
    for (const kind of ["top-up", "adjustment"] as const) {
      assert.isTrue(Result.isSuccess(Account.book(account, booking(kind, most), now)))
      assert.deepStrictEqual(
        Account.book(account, booking(kind, over), now),
        Result.fail({ _tag: "TooMuch", most }),
      )
    }
  })

  it("equals the fold of its entries after any history", () => {
    const step = fc.record({
      kind: fc.constantFrom(...(["hold", "capture", "release", "top-up", "adjustment"] as const)),
      units: fc.nat({ max: 50_000 }),
      down: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        let state = Samples.account()
        const entries: Array<Account.Entry> = []
        for (const { down, kind, units } of steps) {
          const posting = posted(state, kind, down ? -units : units)
          if (posting === undefined) continue
          state = posting.account
          entries.push(...posting.entries)
        }
        assert.deepStrictEqual(Account.fold(entries), { balance: state.balance, held: state.held })
        assert.deepStrictEqual(
          entries.map(({ sequence }) => sequence),
          entries.map((_, index) => index + 1),
        )
        assert.strictEqual(state.entries, entries.length)
        for (const { balance, held } of entries) assert.isTrue(balance >= 0 && held >= 0)
      }),
    )
  })
})

const posted = (
  state: Account.Account,
  kind: Account.EntryKind,
  units: number,
): Account.Posting | undefined => {
  const amount = Money.fromUnits(Math.abs(units))
  const none = { onFailure: () => undefined, onSuccess: (posting: Account.Posting) => posting }
  switch (kind) {
    case "hold":
      return Result.match(Account.hold(state, amount, undefined, now), none)
    case "top-up":
      return Result.match(Account.book(state, booking(kind, amount), now), none)
    case "adjustment":
      return Result.match(Account.book(state, booking(kind, Money.fromUnits(units)), now), none)
    case "capture":
    case "release":
      return state.held < amount
        ? undefined
        : Account.endHold(state, kind, { sequence: 1, charge: amount, createdAt: now }, now)
  }
}

describe("a balance is low", () => {
  it.each([
    ["below the threshold", "5", "4.9999", true],
    ["but not at the threshold", "5", "5", false],
    ["but not above it", "5", "6", false],
    ["but not without a threshold", null, "0", false],
  ])("%s", (_, threshold, balance, expected) => {
    const balanceLowAt = threshold === null ? null : Money.make(threshold)
    const account = Samples.account({ balance: Money.make(balance), balanceLowAt })
    assert.strictEqual(Account.isLow(account), expected)
  })
})
