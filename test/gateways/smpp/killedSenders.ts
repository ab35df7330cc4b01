/**
 * Processes that are killed while they send over SMPP, one after another on one database. What the message centre has
 * accepted and what the account was charged agree afterwards.
 */
import { Store } from "@countersign/core/ports/Store"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Invariants from "@countersign/testing/Invariants"
import { startSmsc } from "@countersign/testing/Smsc"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import { end, spawnProgram, whenReady } from "../../support/Example.ts"
import { eventually } from "../../support/eventually.ts"
import { freshDatabase } from "../../support/freshDatabase.ts"

/** Each process is killed at one of its first submissions, so its last messages are never sent. */
const messagesOfProcess = 40
const latestKill = 30
const startMillis = 60_000
const organization = OrganizationId("default")

const sender = join(import.meta.dirname, "sender.ts")

/** Kills `kills` processes, and returns what happened. Throws where the two sides disagree. */
export const killSenders = Effect.fnUntraced(function* (
  server: string,
  first: number,
  kills: number,
) {
  const url = yield* freshDatabase(server)
  const smsc = yield* startSmsc()
  const env = { DATABASE_URL: Redacted.value(url), SMSC_PORT: String(smsc.port) }
  const spawn = (from: number, count: number) =>
    spawnProgram(tmpdir(), process.execPath, [sender, String(from), String(count)], env)

  /** The submissions of each message, by its number. */
  const submitted = new Map<number, number>()
  let onSubmission = (): "answer" | "silence" => "answer"
  smsc.onSubmit = ({ text }) => {
    const number = Number(/^#(\d+) /.exec(text)?.[1])
    submitted.set(number, (submitted.get(number) ?? 0) + 1)
    const id = String(number)
    return onSubmission() === "silence" ? "silence" : { id, receipts: [{ id, state: "DELIVRD" }] }
  }

  /** Sends until the submission of this rank, and kills the process without an answer to it. */
  const kill = async (from: number, rank: number): Promise<ReadonlyArray<number>> => {
    const running = spawn(from, messagesOfProcess)
    const reached = new Promise<void>((resolve) => {
      let seen = 0
      onSubmission = () => {
        seen += 1
        if (seen >= rank) resolve()
        return seen >= rank ? "silence" : "answer"
      }
    })
    await Promise.race([reached, running.ended])
    const { stdout } = await end(running, "SIGKILL")
    return [...stdout.matchAll(/accepted (\d+)/g)].map(([, number]) => Number(number))
  }

  const answered: Array<number> = []
  for (let index = 0; index < kills; index++) {
    const trial = first + index
    answered.push(
      ...(yield* Effect.promise(() => kill(index * messagesOfProcess, 1 + (trial % latestKill)))),
    )
  }

  onSubmission = () => "answer"
  const last = spawn(0, 0)
  yield* Effect.addFinalizer(() => Effect.promise(() => end(last, "SIGKILL")))
  yield* Effect.promise(() => whenReady("The last process", last, /ready/, startMillis))
  yield* Effect.promise(() => eventually(() => assert.strictEqual(smsc.bound(), 1)))
  // The centre has no answer to its receipts from the killed processes, so it sends them again.
  for (const number of submitted.keys()) {
    yield* smsc.report({ id: String(number), state: "DELIVRD" })
  }

  const store = yield* Layer.build(
    PostgresStore.layer().pipe(
      Layer.provide(PostgresClient.layer({ url })),
      Layer.provide(SecureRandom.layerWebCrypto),
    ),
  )
  const read = Store.use((_) => Invariants.read(_, organization)).pipe(
    Effect.provide(store),
    Effect.orDie,
  )
  const snapshot = yield* Effect.promise(() =>
    eventually(
      async () => {
        const found = await Effect.runPromise(read)
        assert.isDefined(found)
        assert.isTrue(found.messages.every(({ dueAt }) => dueAt === null))
        return found
      },
      { withinMillis: 90_000 },
    ),
  )

  const problems = [...Invariants.problems(snapshot)]
  const rows = new Map(snapshot.messages.map((row) => [Number(/^#(\d+)/.exec(row.text)?.[1]), row]))
  for (const [number, times] of submitted) {
    if (times > 1) problems.push(`message ${number} was submitted ${times} times`)
    if (!rows.has(number)) problems.push(`message ${number} was sent without a charge`)
  }
  for (const [number, { gatewayId, hold }] of rows) {
    // A receipt finds the message by the centre's id, which the killed process may not have written.
    const expected = gatewayId === null ? "released" : "captured"
    if (hold !== expected) problems.push(`the hold of ${number} is ${hold}, not ${expected}`)
    if (gatewayId !== null && !submitted.has(number)) {
      problems.push(`message ${number} is charged, and the centre never saw it`)
    }
  }
  for (const number of answered) {
    if (rows.get(number)?.hold !== "captured") problems.push(`${number} was accepted, and is lost`)
  }
  if (problems.length > 0) throw new Error(`From kill ${first}:\n${problems.join("\n")}`)
  const captured = snapshot.messages.filter(({ hold }) => hold === "captured").length
  return {
    kills,
    messages: rows.size,
    "answered before the kill": answered.length,
    captured,
    refunded: rows.size - captured,
    "accepted by the centre": submitted.size,
    "accepted, but the kill lost the answer": submitted.size - captured,
  }
})
