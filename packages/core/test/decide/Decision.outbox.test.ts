import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import * as QueuedSend from "../../src/domain/outbox/QueuedSend.ts"
import { requestIdPrefix } from "../../src/domain/values/Ids.ts"
import { noRows } from "../support/noRows.ts"

const { now, organizationId: organization } = Samples

const message = QueuedSend.make(Samples.queuedSend({ orderKey: "k" }))
const { id } = message
const taken = QueuedSend.take(message, now + 30_000)
const sent = QueuedSend.sent(taken, 7, now, 70_000)

const decide = (command: Command, queued: QueuedSend.QueuedSend | undefined) => {
  const rows: Decision.Rows = {
    ...noRows,
    account: Samples.account({ balance: Money.make("100") }),
    queued: (one) => (one === id ? queued : undefined),
  }
  return Decision.decide(Decision.view(rows, command), command, now, defaults)
}

const hold = (claim?: number) => Samples.holdMessage({ queued: { id, claim } })
const end = (claim?: number) => Samples.endQueued({ queued: { id, claim } })
const move = (claim?: number): Command<"MoveQueued"> => ({
  _tag: "MoveQueued",
  organization,
  queued: { id, claim },
  dueAt: now + 5_000,
  isPostponed: true,
})
const release: Command<"ReleaseOrder"> = { _tag: "ReleaseOrder", organization, queuedId: id }

describe("a queued send", () => {
  it.each([
    ["of another node", hold(0), taken],
    ["that has ended", hold(), QueuedSend.end(taken, "cancelled", null, now)],
    ["that was sent", hold(), sent],
    ["that does not exist", hold(), undefined],
    ["of another node", end(0), taken],
    ["that has ended", end(), sent],
    ["of another node", move(2), taken],
    ["that has ended", move(), sent],
  ])("%s is left as it is", (_, command, queued) => {
    const { events, result, writes } = decide(command, queued)
    assert.deepStrictEqual<unknown>([result, writes, events], [{ _tag: "NotQueued" }, {}, []])
  })

  it.each([
    ["its node", 1],
    ["a caller", undefined],
  ])("ends with the charge of its message, by %s", (_, claim) => {
    const { result, writes } = decide(hold(claim), taken)
    assert.strictEqual(result._tag, "Held")
    assert.deepInclude(writes.queued, {
      end: "sent",
      endedAt: now,
      call: "",
      messageSequence: writes.message?.sequence ?? null,
      phoneNumber: PhoneNumber.erase(message.phoneNumber),
    })
  })

  it("keeps its order key for the lease of its dispatch", () => {
    const command = hold(1)
    const { writes } = decide(command, taken)
    assert.deepInclude(writes.queued, { orderKey: "k", dueAt: now + command.draft.leaseMillis })
  })

  it.each([
    ["refused", "refused"],
    ["expired", "sending"],
  ] as const)("of a code ends as %s with the reason %s, which its record has", (how, reason) => {
    const code = { ...message, id: requestIdPrefix + id, expiresAt: now }
    const { events } = decide({ ...end(), end: how }, code)
    assert.deepInclude(events[0], { _tag: "Failed", reason })
  })

  it.each([
    ["only ended once it has expired", now, ["NotQueued", "NotQueued", "Ended"]],
    ["not ended as expired before", now + 1, ["Held", "Moved", "NotQueued"]],
  ] as const)("is %s", (_, expiresAt, expected) => {
    const queued = { ...taken, expiresAt }
    const commands = [hold(1), move(1), { ...end(), end: "expired" }] as const
    const tags = commands.map((command) => decide(command, queued).result._tag)
    assert.deepStrictEqual<ReadonlyArray<string>>(tags, expected)
  })

  it("without an order key is not due any more", () => {
    assert.isNull(decide(hold(1), { ...taken, orderKey: null }).writes.queued?.dueAt)
  })

  it("loses its order key when the gateway has answered", () => {
    const { result, writes } = decide(release, sent)
    assert.deepStrictEqual<unknown>(result, { _tag: "Released" })
    assert.deepStrictEqual(writes.queued, { ...sent, dueAt: null, orderKey: null })
  })

  it.each([
    ["was not sent", taken],
    ["was cancelled", QueuedSend.end(taken, "cancelled", null, now)],
    ["was released", QueuedSend.release(sent)],
    ["does not exist", undefined],
  ])("that %s is not released", (_, queued) => {
    const { result, writes } = decide(release, queued)
    assert.deepStrictEqual<unknown>([result, writes], [{ _tag: "NotFound" }, {}])
  })

  it("that is moved is no node's any more", () => {
    const { result, writes } = decide(move(1), taken)
    assert.deepStrictEqual<unknown>(result, { _tag: "Moved" })
    assert.deepStrictEqual(writes.queued, { ...taken, claim: 2, dueAt: now + 5_000 })
  })

  it("that is cancelled keeps no message, and raises an event", () => {
    const { events, result, writes } = decide(
      Samples.endQueued({ queued: { id, claim: 1 }, end: "cancelled" }),
      taken,
    )
    assert.deepStrictEqual<unknown>(result, { _tag: "Ended" })
    assert.deepInclude(writes.queued, { end: "cancelled", endedAt: now, dueAt: null })
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      ["MessageDropped"],
    )
  })
})
