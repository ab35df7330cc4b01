import { EventLog } from "@countersign/core/services/EventLog"
import { Organizations } from "@countersign/core/services/Organizations"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { logged } from "../../../../test/support/observed.ts"
import { mount, operator, type Send, tenant, world } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"
import { testsOver } from "../../../../test/support/testsOver.ts"

const path = "/api/organizations/acme/events/stream"

/** A reader of a stream: the next lines that match, however many chunks they come in. */
const open = Effect.fnUntraced(function* (
  send: Send,
  query = "",
  headers: Readonly<Record<string, string>> = {},
) {
  const response = yield* Effect.promise(() => send(`${path}${query}`, { headers }))
  assert.strictEqual(response.status, 200)
  assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
  assert.strictEqual(response.headers.get("cache-control"), "no-store")
  assert.strictEqual(response.headers.get("x-accel-buffering"), "no")
  assert.isNotNull(response.body)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const cancel = Effect.promise(async () => reader?.cancel())
  yield* Effect.addFinalizer(() => cancel)
  return {
    /** The text until one part of it matches; all of it if the stream ends. */
    until: (pattern: RegExp) =>
      Effect.promise(async () => {
        let text = ""
        for (;;) {
          const chunk = await reader?.read()
          if (chunk?.value === undefined) return `${text}end`
          text += decoder.decode(chunk.value)
          if (pattern.test(text)) return text
        }
      }),
    cancel,
  }
})

const idsIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

describe("the stream of events", () => {
  engineTest("begins after a sequence or the last event that the browser has", function* () {
    yield* world
    const send = yield* mount()
    const all = yield* open(send, "?after=0")
    const ids = idsIn(yield* all.until(/"webhook_created"[^]*\n\n/))
    assert.deepStrictEqual(
      ids,
      ids.map((_, index) => index + 1),
    )
    const rest = yield* open(send, "?after=0", { "last-event-id": "2" })
    assert.strictEqual(idsIn(yield* rest.until(/^id: /m))[0], 3)
  })

  engineTest("shows the events from now on, and comments in between", function* () {
    const { organization } = yield* world
    const stream = yield* open(yield* mount())
    assert.strictEqual(yield* stream.until(/:\n\n/), ":\n\n")
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual(yield* stream.until(/:\n\n/), ":\n\n")
    yield* Organizations.use((_) => _.update({ id: organization, name: "Acme" }))
    yield* TestClock.adjust("1 second")
    assert.match(yield* stream.until(/^data: /m), /"type":"settings_changed"/)
  })

  engineTest("ends after ten minutes, so that the host decides again", function* () {
    yield* world
    const stream = yield* open(yield* mount())
    yield* stream.until(/:/)
    yield* TestClock.adjust("10 minutes")
    assert.match(yield* stream.until(/never/), /end$/)
  })

  engineTest("is refused above their maximum number, and one that ends makes room", function* () {
    yield* world
    const send = yield* mount({ maxStreams: 1 })
    const first = yield* open(send)
    yield* first.until(/:/)
    const refused = yield* Effect.promise(() => send(path))
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "5")
    yield* first.cancel
    const second = yield* open(send)
    yield* second.until(/:/)
  })

  engineTest("leaves room beside a tenant, who may have a tenth of them", function* () {
    yield* world
    let principal = tenant
    const send = yield* mount({ maxStreams: 29, authorize: () => principal })
    const own = yield* Effect.all([open(send), open(send)])
    yield* Effect.forEach(own, (stream) => stream.until(/:/))
    const status = () => Effect.promise(async () => (await send(path)).status)
    assert.strictEqual(yield* status(), 503)
    principal = operator
    const other = yield* open(send)
    yield* other.until(/:/)
    principal = tenant
    yield* own[0].cancel
    assert.strictEqual(yield* status(), 200)
  })

  const { layer, lines } = logged()

  testsOver(Layer.merge(TestEngine.layer(), layer)).effect(
    "ends at a defect, which is logged",
    function* () {
      yield* world
      const log = yield* EventLog
      const broken = EventLog.of({ ...log, follow: () => Stream.die(new TypeError("a value")) })
      const stream = yield* open(yield* Effect.provideService(mount(), EventLog, broken))
      assert.match(yield* stream.until(/never/), /end$/)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "A request ended in a defect")
      assert.notInclude(lines[0], "a value")
    },
  )

  engineTest("takes no place for an answer that is not read", function* () {
    yield* world
    const send = yield* mount({ maxStreams: 1 })
    const head = yield* Effect.promise(() => send(path, { method: "HEAD" }))
    assert.strictEqual(head.status, 200)
    const stream = yield* open(send)
    yield* stream.until(/:/)
  })
})
