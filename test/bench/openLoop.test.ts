import { createServer, type RequestListener } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, assert, describe, it } from "vitest"
import { post } from "./load.ts"
import { dueTimes, openLoop } from "./openLoop.ts"

const servers: Array<ReturnType<typeof createServer>> = []

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("No port is listened on")
  return `http://127.0.0.1:${address.port}`
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

describe("an open loop", () => {
  it("draws the same gaps each time, with the requested mean and an exponential spread", () => {
    const due = [...dueTimes(1_000, 10_000)]
    assert.deepEqual(due, [...dueTimes(1_000, 10_000)])
    assert.closeTo(due.length, 10_000, 300)
    const gaps = due.map((at, rank) => at - (due[rank - 1] ?? 0))
    const long = gaps.filter((gap) => gap > 1).length / gaps.length
    // A share of 1/e of exponential gaps is longer than their mean.
    assert.closeTo(long, Math.exp(-1), 0.02)
  })

  it("sends due requests while earlier ones are open, and measures from the due time", async () => {
    const origin = await serve(async (_, response) => {
      await sleep(100)
      response.end("{}")
    })
    const { arrivals, leftOut, mostOpen } = await openLoop({
      origin,
      perSecond: 200,
      durationMillis: 500,
      // More than all requests, because a busy machine may send them at once.
      maxOpen: 1_000,
      request: () => post("/", "key", {}),
    })
    assert.strictEqual(arrivals.length, [...dueTimes(200, 500)].length)
    assert.strictEqual(leftOut, 0)
    assert.isAbove(mostOpen, 5)
    for (const { millis, status } of arrivals) {
      assert.strictEqual(status, 200)
      assert.isAtLeast(millis, 99)
    }
  })

  it("keeps to its bound of open requests, and counts the requests that it skips", async () => {
    const origin = await serve(async (_, response) => {
      await sleep(100)
      response.end("{}")
    })
    const { arrivals, leftOut, mostOpen } = await openLoop({
      origin,
      perSecond: 200,
      durationMillis: 500,
      maxOpen: 4,
      request: () => post("/", "key", {}),
    })
    assert.strictEqual(mostOpen, 4)
    assert.isAbove(leftOut, 0)
    assert.strictEqual(arrivals.length + leftOut, [...dueTimes(200, 500)].length)
  })

  it("rejects with an error from the check of an answer, and when the server hangs up", async () => {
    const options = {
      perSecond: 100,
      durationMillis: 200,
      maxOpen: 10,
      request: () => post("/", "key", {}),
    }
    const failing = await serve((_, response) => {
      response.statusCode = 500
      response.end("broken")
    })
    const answer = (_: number, status: number, text: string): void => {
      throw new Error(`${status} ${text.slice(-6)}`)
    }
    const hangingUp = await serve((_, response) => response.destroy())
    const messageOf = (run: Promise<unknown>) =>
      run.then(
        () => "",
        (error: Error) => error.message,
      )
    assert.strictEqual(
      await messageOf(openLoop({ ...options, origin: failing, answer })),
      "500 broken",
    )
    assert.match(await messageOf(openLoop({ ...options, origin: hangingUp })), /closed|ECONNRESET/)
  })
})
