/**
 * Whether the time of an answer reveals which keys and requests exist, over HTTP, to a client on the same machine. The
 * service is a process of its own, on PostgreSQL.
 */
import * as Timing from "@countersign/testing/Timing"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { runCampaign } from "../support/campaign.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { signIn } from "../support/passwordSignIn.ts"
import { at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { keyWith, texts } from "../support/timings.ts"

/** Smaller differences of the medians are not measurable over a network. */
const smallestNanoseconds = 5_000

const keys = 16

const several = <A>(make: (index: number) => A): Array<A> =>
  Array.from({ length: keys }, (_, index) => make(index))

/** One connection, on which one request follows the other. */
const connectionTo = async (origin: string) => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1").setNoDelay(true)
  await once(socket, "connect")
  let received = ""
  let done = (_: string): void => {}
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    received += chunk
    const end = received.indexOf("\r\n\r\n") + 4
    const length = /content-length: (\d+)/i.exec(received)?.[1]
    if (end < 4 || received.length < end + Number(length)) return
    const answer = received
    received = ""
    done(answer)
  })
  const ask = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      done = resolve
      socket.once("close", reject)
      socket.write(request, "latin1", () => socket.off("close", reject))
    })
  return { ask, [Symbol.dispose]: () => void socket.destroy() }
}

const requestOf = (path: string, key: string): string =>
  `GET /api/v2${path} HTTP/1.1\r\nHost: service.test\r\nAuthorization: Bearer ${key}\r\n\r\n`

/** The requests of both classes of each subject, and the status of their answers. */
const subjectsOf = async (node: Quickstart) => {
  const { cookie = "" } = await signIn(node.dashboardUrl, node.dashboardPassword)
  const admin = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${node.dashboardUrl}/api/organizations/acme${path}`, {
      method: "POST",
      headers: { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    assert.include([200, 204], response.status, path)
    return response.status === 204 ? undefined : response.json()
  }
  const newKeys = () =>
    Promise.all(
      several(async (index) => {
        const made = await admin("/api-keys", { name: `key ${index}` })
        return { id: String(at(made, "id")), key: String(at(made, "key")) }
      }),
    )
  const [known, used, revoked] = [await newKeys(), await newKeys(), await newKeys()]
  for (const { id } of revoked) await admin(`/api-keys/${id}/revoke`, {})
  for (const { key } of used) {
    const headers = { authorization: `Bearer ${key}` }
    assert.strictEqual((await node.call("/balance", { headers })).status, 200)
  }
  const foreign: Array<string> = []
  for (const index of several((index) => index)) {
    const body = { phone_number: `+88017130000${index + 10}` }
    const sent = await node.call("/verify", { body })
    foreign.push(String(at(sent.body, "data", "request_id")))
  }
  const absent = foreign.map((id, index) => `${id.slice(0, -6)}${foreign.at(index - 1)?.slice(-6)}`)
  const unknown = () => several(() => requestOf("/balance", keyWith()))
  const wrong = (made: typeof known) => made.map(({ id }) => requestOf("/balance", keyWith(id)))
  // Of the organization that has sent nothing.
  const own = node.keys["globex"] ?? ""
  const statusOf = (id: string) => requestOf(`/verify/${id}`, own)
  const noKey = () => several(() => requestOf("/balance", keyWith().replaceAll("_", "-")))
  return [
    {
      title: "no key, or an unknown one",
      status: 401,
      isControl: true,
      lists: [noKey(), unknown()],
    },
    { title: "a wrong secret, or an unknown key", status: 401, lists: [wrong(known), unknown()] },
    {
      title: "a wrong secret of a used key, or an unknown key",
      status: 401,
      lists: [wrong(used), unknown()],
    },
    {
      title: "a revoked key, or an unknown one",
      status: 401,
      lists: [revoked.map(({ key }) => requestOf("/balance", key)), unknown()],
    },
    {
      title: "a foreign request, or none",
      status: 404,
      lists: [foreign.map(statusOf), absent.map(statusOf)],
    },
  ] as const
}

describe("Over HTTP", () => {
  const scope = temporaryScope()
  let node: Quickstart
  beforeAll(async () => {
    const url = await scope.run(freshDatabase(inject("postgresUrl")))
    node = await startQuickstart({
      env: { DATABASE_URL: Redacted.value(url), COUNTERSIGN_SECRET: "p".repeat(40) },
    })
    node.dropOutput()
  })
  afterAll(async () => {
    await node.stop()
    await scope.close()
  })

  it(
    "timing-over-loopback: no time reveals which keys and requests exist",
    { timeout: 4 * 3_600_000 },
    async () => {
      const subjects = await subjectsOf(node)
      using connection = await connectionTo(node.baseUrl)
      await runCampaign({
        name: "timing-over-loopback",
        count: 200_000,
        turn: 200_000,
        run: async (first, end) => {
          const counts: Record<string, number> = {}
          const problems: Array<string> = []
          for (const { lists, title, status, ...others } of subjects) {
            const [one, other] = lists
            for (const request of [...one, ...other])
              assert.match(await connection.ask(request), new RegExp(`^HTTP/1.1 ${status} `))
            const { nanoseconds, t } = await Timing.measureAsync({
              samples: end - first,
              ...texts(one, other),
              run: connection.ask,
            })
            counts[`${title}, |t|`] = Number(t.toFixed(2))
            counts[`${title}, ns between the medians`] = Math.round(nanoseconds)
            console.log(`${title}: |t| ${t.toFixed(2)}, ${Math.round(nanoseconds)} ns`)
            const isExpected =
              "isControl" in others
                ? t > 100
                : t < Timing.limit || Math.abs(nanoseconds) < smallestNanoseconds
            if (!isExpected) problems.push(`${title}: |t| ${t}, ${nanoseconds} ns`)
          }
          assert.deepStrictEqual(problems, [])
          return counts
        },
      })
    },
  )
})
