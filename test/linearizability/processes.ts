/**
 * Two quickstarts, processes of their own, on one PostgreSQL database. Their clients are in this process, so one clock
 * orders all starts and answers.
 */
import * as Redacted from "effect/Redacted"
import { rmSync } from "node:fs"
import { assert, inject } from "vitest"
import { freshDatabase } from "../support/freshDatabase.ts"
import { signIn } from "../support/passwordSignIn.ts"
import { type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { temporaryFolder } from "../support/Example.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { type Answer, at, textAt } from "./calls.ts"
import { answerOf, type Place, type Sending } from "./play.ts"

interface Node {
  readonly quickstart: Quickstart
  /** The session of an operator. */
  readonly cookie: string
}

export interface Service {
  readonly nodes: () => ReadonlyArray<Quickstart>
  /** Makes an organization that only one history uses. */
  readonly open: () => Promise<Place>
  /** Kills a node. Its clients get no answer. */
  readonly kill: (index: number) => void
  /** Starts the nodes that were killed. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Without windows, because the models have none. */
const limits = {
  sendsPerNumber: null,
  checksPerOrganization: null,
  guessesPerNumber: null,
  guessesSinceSuccess: null,
  resends: 1,
  resendCooldown: "0 seconds",
}

/** A client hangs up within so many milliseconds. */
const maxHangUpMillis = 25

const start = async (env: Record<string, string>, dataDir: string): Promise<Node> => {
  const quickstart = await startQuickstart({ env, dataDir })
  quickstart.dropOutput()
  const { cookie = "" } = await signIn(quickstart.dashboardUrl, quickstart.dashboardPassword)
  return { quickstart, cookie }
}

const numbers = (): (() => string) => {
  let made = 0
  return () => {
    made += 1
    return `+88017${10_000_000 + made}`
  }
}

/** Starts two processes on a database of their own. */
export const startProcesses = async (): Promise<Service> => {
  const scope = temporaryScope()
  const url = Redacted.value(await scope.run(freshDatabase(inject("postgresUrl"))))
  const env = {
    DATABASE_URL: url,
    COUNTERSIGN_SECRET: "p".repeat(40),
    // Longer than any history.
    SETTLE_AFTER_SECONDS: "604800",
  }
  const folders = [temporaryFolder(), temporaryFolder()]
  const nodes: Array<Node | undefined> = []
  const killed: Array<Promise<unknown>> = []
  for (const folder of folders) nodes.push(await start(env, folder))
  const newNumber = numbers()
  let organizations = 0

  /** The node, or the other one while it is dead. */
  const alive = (index: number): Node => {
    const found = nodes[index] ?? nodes.find((node) => node !== undefined)
    return found ?? assert.fail("No process is alive")
  }

  const asOperator = async (index: number, path: string, body: object): Promise<Answer> => {
    const { cookie, quickstart } = alive(index)
    const response = await fetch(`${quickstart.dashboardUrl}/api/organizations${path}`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify(body),
    })
    const read: unknown = await response.json()
    const code = response.ok ? "ok" : String(at(read, "code"))
    return { status: response.status, code, isFirst: false, body: read }
  }

  /** `undefined` if the connection ended before an answer. */
  const orLost = (answer: Promise<Answer>): Promise<Answer | undefined> =>
    answer.catch((error: unknown) => {
      // `fetch` fails with a TypeError for each fault of a connection, and with an AbortError.
      if (error instanceof TypeError || error instanceof DOMException) return undefined
      throw error
    })

  const open: Service["open"] = async () => {
    organizations += 1
    const id = `org_${organizations}`
    const made = await asOperator(0, "", { id, limits, senders: { sms: "8809612000101" } })
    assert.strictEqual(made.code, "ok", JSON.stringify(made.body))
    const created = await asOperator(0, `/${id}/api-keys`, { name: "key" })
    const key = textAt(created.body, "key") ?? assert.fail(JSON.stringify(created.body))
    return {
      newNumber,
      request: (index, { body, idempotencyKey, method, path }: Sending, hangsUp) => {
        const { baseUrl } = alive(index).quickstart
        const signal = hangsUp
          ? AbortSignal.timeout(Math.ceil(Math.random() * maxHangUpMillis))
          : null
        return orLost(
          fetch(`${baseUrl}${path}`, {
            method,
            signal,
            headers: {
              authorization: `Bearer ${key}`,
              ...(body === undefined ? {} : { "content-type": "application/json" }),
              ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }).then(answerOf),
        )
      },
      topUp: (index, units, paymentId) =>
        orLost(
          asOperator(index, `/${id}/top-ups`, {
            amount: String(units / 10_000),
            note: "history",
            paymentId,
          }),
        ),
      codeOf: async (phoneNumber) => {
        for (const node of nodes) {
          if (node === undefined) continue
          const to = encodeURIComponent(phoneNumber)
          const inbox: unknown = await fetch(`${node.quickstart.inboxUrl}/messages?to=${to}`)
            .then((response) => response.json())
            .catch(() => [])
          const code = Array.isArray(inbox)
            ? /\d{6}/.exec(String(at(inbox[0], "text")))?.[0]
            : undefined
          if (code !== undefined) return code
        }
        return undefined
      },
    }
  }

  return {
    open,
    nodes: () => nodes.flatMap((node) => node?.quickstart ?? []),
    kill: (index) => {
      const node = nodes[index]
      nodes[index] = undefined
      if (node !== undefined) killed.push(node.quickstart.kill("SIGKILL"))
    },
    restart: async () => {
      await Promise.all(killed.splice(0))
      for (const [index, folder] of folders.entries()) nodes[index] ??= await start(env, folder)
    },
    stop: async () => {
      await Promise.all([...killed, ...nodes.map((node) => node?.quickstart.stop())])
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
      await scope.close()
    },
  }
}
