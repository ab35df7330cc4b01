import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { loggedEvent as shown } from "../../../src/api/events.ts"
import { showing } from "../../../src/api/Operation.ts"
import type { LoggedEvent } from "../../../src/domain/events/Event.ts"
import { eventTable, types } from "../../../src/domain/events/EventTable.ts"
import { bodyOf } from "../../../src/domain/webhooks/Webhook.ts"
import { untyped } from "../../support/untyped.ts"

const loggedEvent = showing({ output: shown })

interface Fixture {
  /** Without its organization, time and sequence. */
  readonly event: { readonly _tag: LoggedEvent["_tag"] }
  /** That of a webhook. Its data has the fields that callers get. */
  readonly body: string
}

const stored: ReadonlyArray<Fixture> = JSON.parse(
  readFileSync(new URL("../../fixtures/events.json", import.meta.url), "utf8"),
)

/** Events as callers and webhooks have received them since before there was a table. */
const fixtures = stored.map(({ body, event: { _tag, ...own } }, index) => {
  const place = { organization: "acme", at: 1_767_225_600_123 }
  return { body, event: untyped<LoggedEvent>({ _tag, ...place, ...own, sequence: index + 1 }) }
})

describe("the table of events", () => {
  it("has a type of its own for each event", () => {
    assert.strictEqual(new Set(types).size, types.length)
    assert.sameMembers(Object.keys(eventTable), [
      ...new Set(fixtures.map(({ event }) => event._tag)),
    ])
  })

  it.each(fixtures)("gives callers the same fields as ever: $event._tag", ({ body, event }) => {
    const { data, timestamp: at, type } = JSON.parse(body)
    const { previous: _, ...plain } = { ...data, at, type }
    const found = loggedEvent(event)
    assert.deepStrictEqual<unknown>(found.at, new Date(event.at))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(found)), plain)
  })

  it.each(fixtures)("gives webhooks the same bytes as ever: $event._tag", ({ body, event }) => {
    const previous = event.sequence === 1 ? null : event.sequence - 1
    assert.strictEqual(bodyOf(event, previous), body)
  })
})
