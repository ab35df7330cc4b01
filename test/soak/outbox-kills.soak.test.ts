/** SIGKILL of nodes at random points while several of them send what is due in one outbox. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { inject, test } from "vitest"
import { killOutboxNodes } from "../../packages/postgres/test/fixtures/outboxKills.ts"
import { runCampaign } from "../support/campaign.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { random } from "./faults/random.ts"

/** Kills of one outbox. */
const turn = 50

const killAll = Effect.fnUntraced(function* (first: number, kills: number) {
  const database = Redacted.value(yield* freshDatabase(inject("postgresUrl")))
  const honoursToken = (first / turn) % 2 === 0
  const { calls, sends } = yield* killOutboxNodes({
    database,
    kills,
    random: random(first),
    honoursToken,
  })
  return { sends, calls }
}, Effect.scoped)

test(
  "outbox-kills: an outbox whose nodes are killed loses nothing and sends nothing twice",
  { timeout: 12 * 3_600_000 },
  () =>
    runCampaign({
      name: "outbox-kills",
      count: 1_000,
      turn,
      run: (first, end) =>
        Effect.runPromise(killAll(first, end - first).pipe(Effect.provide(TestClock.layer()))),
    }),
)
