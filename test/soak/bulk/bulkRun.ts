/**
 * A batch of a million recipients on PostgreSQL, beside direct sends with as many at a time, and another organization that
 * queues a message now and then.
 */
import * as Engine from "@countersign/core/Engine"
import * as Money from "@countersign/core/domain/values/Money"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { Gateway } from "@countersign/core/ports/Gateway"
import { Accounts } from "@countersign/core/services/Accounts"
import { Batches } from "@countersign/core/services/Batches"
import { Messages } from "@countersign/core/services/Messages"
import { Organizations } from "@countersign/core/services/Organizations"
import { Outbox } from "@countersign/core/services/Outbox"
import { Senders } from "@countersign/core/services/Senders"
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { strict as assert } from "node:assert"
import { freshDatabase } from "../../support/freshDatabase.ts"

const acme = OrganizationId("acme")
const other = OrganizationId("other")

/** As many as a node sends of one organization at a time. */
const concurrency = 192

/** The share of the direct sends: half of them before the batch, and half after it. */
const directShare = 0.1

const numberOf = (index: number): string => `+88017${String(10_000_000 + index)}`

function* numbers(count: number): Generator<string> {
  for (let index = 0; index < count; index++) yield numberOf(index)
}

/** Delivers at once. Keeps one bit of each message, and tells who waits for a number. */
class Phones {
  readonly #seen = new Uint8Array(2_000_000)
  readonly #waits = new Map<string, () => void>()
  taken = 0
  twice = 0

  readonly gateway = Gateway.of({
    name: "instant",
    capabilities: {
      tokenMillis: 0,
      lookup: false,
      recipientCheck: false,
      reports: "none",
      segments: false,
      timeoutMillis: 10_000,
    },
    send: ({ phoneNumber, ref, token }) =>
      Effect.sync(() => {
        this.#waits.get(phoneNumber)?.()
        if (ref.organization === acme && phoneNumber.startsWith("+88017")) {
          const index = Number(phoneNumber.slice(6)) - 10_000_000
          this.twice += this.#seen[index] ?? 0
          this.#seen[index] = 1
          this.taken += 1
        }
        return { _tag: "Delivered", gatewayId: token }
      }),
    isReachable: () => Effect.succeed("unknown"),
    lookup: () => Effect.die("not supported"),
    reports: Stream.never,
  })

  wait(phoneNumber: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waits.set(phoneNumber, () => {
        this.#waits.delete(phoneNumber)
        resolve()
      })
    })
  }
}

const open = Effect.fnUntraced(function* (id: OrganizationId) {
  yield* Organizations.use((_) => _.create({ id }))
  const sender = { id: "line", kind: "non-masking", sender: "8809612000000" } as const
  yield* Senders.use((_) =>
    _.save({ organization: id, ...sender, status: "approved", isDefault: true }),
  )
  yield* Accounts.use((_) => _.topUp({ organization: id, amount: Money.make("10000000") }))
})

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(effect, (value) => ({ value, millis: performance.now() - began }))
  })

const medianOf = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Milliseconds from the queueing of a message of the other organization to the call of the gateway. */
const delay = (phones: Phones, index: number) =>
  Effect.gen(function* () {
    const phoneNumber = `+88018${String(10_000_000 + index)}`
    const arrived = phones.wait(phoneNumber)
    const outbox = yield* Outbox
    const send = yield* outbox.prepareMessage({ organization: other, phoneNumber, text: "Hello" })
    const { millis } = yield* timed(
      Effect.andThen(
        outbox.enqueue([send]),
        Effect.promise(() => arrived),
      ),
    )
    return millis
  })

/** Sends directly. Returns the messages of a second. */
const direct = (from: number, count: number, atOnce = concurrency) =>
  Effect.map(
    timed(
      Effect.forEach(
        Array.from({ length: count }, (_, index) => `+88019${String(10_000_000 + from + index)}`),
        (phoneNumber) =>
          Messages.use((_) => _.send({ organization: acme, phoneNumber, text: "Hello" })),
        { concurrency: atOnce, discard: true },
      ),
    ),
    ({ millis }) => (count * 1_000) / millis,
  )

/** Returns the figures of a batch of this size. */
export const play = (count: number, serverUrl: string) => {
  const phones = new Phones()
  return Effect.gen(function* () {
    const url = yield* freshDatabase(serverUrl)
    const node = Engine.layerRunning.pipe(
      Layer.provide(PostgresStore.layer()),
      Layer.provide(PostgresClient.layer({ url })),
      Layer.provide(Layer.succeed(Gateway, phones.gateway)),
      Layer.provide(CodeSecrets.layer(Redacted.make("b".repeat(32)))),
      Layer.provideMerge(Node.layerCrypto),
    )
    return yield* Effect.gen(function* () {
      yield* open(acme)
      yield* open(other)
      const half = Math.ceil((count * directShare) / 2)
      // A node reads an organization for 1,024 commits or more after its settings were changed.
      yield* direct(0, 3_000, 1)
      // The background work begins a second after the start.
      yield* Effect.sleep("2 seconds")
      const idle: Array<number> = []
      const measureIdle = Effect.gen(function* () {
        for (let index = 0; index < 50; index++) idle.push(yield* delay(phones, idle.length))
      })
      yield* measureIdle
      const before = yield* direct(3_000, half)
      const written = yield* timed(
        Batches.use((_) =>
          _.sendMany({ organization: acme, recipients: numbers(count), text: "Hello" }),
        ),
      )
      const id = written.value.batchId
      const busy: Array<number> = []
      const memory: Array<number> = []
      const watch = yield* Effect.forkChild(
        Effect.forever(
          Effect.gen(function* () {
            busy.push(yield* delay(phones, 1_000 + busy.length))
            memory.push(process.memoryUsage().rss)
            yield* Effect.sleep("200 millis")
          }),
        ),
      )
      const sent = yield* timed(
        Effect.repeat(
          Effect.delay(
            Batches.use((_) => _.get({ organization: acme, id })),
            "500 millis",
          ),
          { until: ({ status }) => status === "done" },
        ),
      )
      yield* Fiber.interrupt(watch)
      const after = yield* direct(3_000 + half, half)
      yield* measureIdle
      assert.equal(phones.taken, count)
      assert.equal(phones.twice, 0)
      assert.deepEqual([sent.value.queued, sent.value.recipients], [0, count])
      const quarter = memory[memory.length >> 2] ?? 0
      const rate = (count * 1_000) / sent.millis
      const directRate = (before + after) / 2
      const figures = {
        recipients: count,
        "seconds of writing": Math.round(written.millis / 1_000),
        "seconds of sending": Math.round(sent.millis / 1_000),
        "messages a second": Math.round(rate),
        "direct sends a second": Math.round(directRate),
        "percent of direct sends": Math.round((100 * rate) / directRate),
        "other's median delay, idle, tenths of ms": Math.round(medianOf(idle) * 10),
        "other's median delay, busy, tenths of ms": Math.round(medianOf(busy) * 10),
        "memory at a quarter, MB": Math.round(quarter / 2 ** 20),
        "memory at the end, MB": Math.round((memory.at(-1) ?? 0) / 2 ** 20),
      }
      console.log(figures)
      return figures
    }).pipe(Effect.provide(node))
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Warn"))
}
