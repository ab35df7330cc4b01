import { assert, describe, it } from "@effect/vitest"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import type * as Refusal from "../../../src/domain/verifications/Refusal.ts"
import {
  maxPerCause,
  maxPerOrganization,
  maxWaiting,
  RefusalBuffer,
} from "../../../src/engine/internal/refusalBuffer.ts"

const acme = OrganizationId("acme")
const hour = 3_600_000

const blocked: Refusal.Count = {
  operation: "verify",
  code: "invalid_request",
  reason: "prefix_blocked",
  at: 0,
  channel: "sms",
  country: "BD",
  count: 1,
}

const add = (buffer: RefusalBuffer, one: Refusal.Count = blocked, organization = acme) => {
  const { at, channel, country, operation } = one
  buffer.add(organization, at, operation, one, channel, country, () => ({
    ...one,
    parameters: {},
    phoneNumber: undefined,
    requestId: undefined,
    apiKeyId: null,
    actor: "host",
  }))
}

/** The counts that wait, and the number of kept refusals. */
const taken = (buffer: RefusalBuffer, organization = acme) => {
  const waiting = buffer.take(organization)
  return [[...(waiting?.counts.values() ?? [])].map(({ count }) => count), waiting?.kept.length]
}

describe("RefusalBuffer", () => {
  it("counts every refusal of a flood, and keeps few of them", () => {
    const buffer = new RefusalBuffer()
    for (let index = 0; index < 1_000; index++) add(buffer)
    assert.deepStrictEqual(taken(buffer), [[1_000], maxPerCause])
    assert.deepStrictEqual(taken(buffer), [[], undefined])
    add(buffer)
    assert.deepStrictEqual(taken(buffer), [[1], 1])
  })

  it.each<readonly [string, Partial<Refusal.Count>]>([
    ["call", { operation: "resend" }],
    ["code", { code: "rate_limited" }],
    ["reason", { reason: null }],
    ["hour", { at: hour }],
    ["channel", { channel: "whatsapp" }],
    ["country", { country: "IN" }],
  ])("counts another %s apart, in any order", (_, other) => {
    const buffer = new RefusalBuffer()
    const both = [blocked, { ...blocked, ...other }]
    for (const one of [...both, ...both, ...both.toReversed()]) add(buffer, one)
    assert.deepStrictEqual(taken(buffer), [[3, 3], 6])
  })

  it("counts the refusals of another organization apart", () => {
    const buffer = new RefusalBuffer()
    const other = OrganizationId("other")
    for (const organization of [acme, other, other, acme, other]) {
      add(buffer, blocked, organization)
    }
    assert.deepStrictEqual(
      [taken(buffer), taken(buffer, other)],
      [
        [[2], 2],
        [[3], 3],
      ],
    )
  })

  it("keeps a bounded number in each organization and in all, and counts the others", () => {
    const buffer = new RefusalBuffer()
    const organizations = Array.from({ length: 100 }, (_, index) => OrganizationId(`org-${index}`))
    for (const organization of organizations) {
      for (let index = 0; index < 100; index++) {
        add(buffer, { ...blocked, reason: `reason ${index}` }, organization)
      }
    }
    const waiting = organizations.map((one) => buffer.take(one))
    const kept = waiting.map((one) => one?.kept.length ?? 0)
    assert.strictEqual(Math.max(...kept), maxPerOrganization)
    assert.strictEqual(
      kept.reduce((sum, count) => sum + count),
      maxWaiting,
    )
    assert.isTrue(waiting.every((one) => one?.counts.size === 100))
  })

  it("gives up the countries before it has too many counts, and no refusal", () => {
    const buffer = new RefusalBuffer()
    for (let index = 0; index < 500; index++) add(buffer, { ...blocked, country: `${index}` })
    const counts = [...(buffer.take(acme)?.counts.values() ?? [])]
    assert.strictEqual(
      counts.reduce((sum, { count }) => sum + count, 0),
      500,
    )
    assert.deepInclude(counts.at(-1), { country: "", count: 300 })
  })

  it("adds what could not be written to what has come meanwhile", () => {
    const buffer = new RefusalBuffer()
    add(buffer)
    const waiting = buffer.take(acme)
    add(buffer)
    if (waiting !== undefined) buffer.putBack(acme, waiting)
    add(buffer)
    assert.deepStrictEqual(taken(buffer), [[3], 3])
  })
})
