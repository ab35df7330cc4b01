import { readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, test, type TestContext } from "vitest"
import {
  type Kannel,
  password,
  startKannel,
  username,
} from "../../../../test/release/gateways/kannel/kannel.ts"
import {
  fetchMillis,
  type Missing,
  type Programs,
  programsOf,
} from "../../../../test/gateways/smpp/debian.ts"
import {
  bangla,
  type Smsc,
  startSmsc,
  type Submitted,
} from "../../../../test/gateways/smpp/support.ts"
import { eventually } from "../../../../test/support/eventually.ts"
import {
  type Ended,
  type Example,
  type Options,
  runExample,
  startExample,
  temporaryFolder,
} from "../../../../test/support/Example.ts"
import { freePorts } from "../../../../test/support/freePorts.ts"
import { at } from "../../../../test/support/Quickstart.ts"
import { type TemporaryScope, temporaryScope } from "../../../../test/support/temporaryScope.ts"

/** What the centre does with a message is in the number that it goes to. */
const numbers = {
  delivered: "8801712345601",
  undelivered: "8801712345602",
  refused: "8801712345603",
  silent: "8801712345604",
  late: "8801712345605",
  bangla: "8801712345606",
} as const

const secret = "a secret for tests, and for nothing else"

interface Rig {
  readonly smsc: Smsc
  readonly kannel: Kannel
  /** For the example, which has to know where it can be reached before it starts. */
  readonly env: Readonly<Record<string, string>> & { readonly KANNEL_CALLBACK_URL: string }
}

const receiptsOf = (id: string, { pdu }: Submitted) => {
  // Kannel asks for a receipt on the first part alone.
  if (pdu.registeredDelivery === 0) return []
  switch (pdu.destination.address) {
    case numbers.undelivered:
      return [{ id, state: "UNDELIV", error: "011" }]
    case numbers.silent:
    case numbers.late:
      return []
    default:
      return [{ id, state: "DELIVRD" }]
  }
}

/** A message centre, and a Kannel that is bound to it. */
const startRig = async (programs: Programs, { run }: TemporaryScope): Promise<Rig> => {
  const smsc = await run(startSmsc())
  smsc.onSubmit = (submitted, count) => {
    if (submitted.pdu.destination.address === numbers.refused) return { status: 0x0b }
    const id = String(count)
    return { id, receipts: receiptsOf(id, submitted) }
  }
  const kannel = await run(startKannel(programs, smsc.port))
  await run(smsc.next("bound"))
  const [port = 0] = await freePorts(1)
  return {
    smsc,
    kannel,
    env: {
      PORT: String(port),
      KANNEL_URL: kannel.url,
      KANNEL_USERNAME: username,
      KANNEL_PASSWORD: password,
      KANNEL_CALLBACK_URL: `http://127.0.0.1:${port}/callbacks/kannel`,
      KANNEL_CALLBACK_SECRET: secret,
    },
  }
}

interface Running extends Example {
  readonly get: (path: string) => Promise<unknown>
  /** The status of the answer. */
  readonly send: (to: string, message: string) => Promise<number>
  /** The newest message to a number, once it has this status. */
  readonly settled: (to: string, status: string) => Promise<unknown>
  readonly apiKey: string
}

const start = async (options: Options): Promise<Running> => {
  const app = await startExample("kannel", options)
  const file = join(app.dataDir, "kannel.json")
  const ready: unknown = JSON.parse(readFileSync(file, "utf8"))
  assert.strictEqual(statSync(file).mode & 0o777, 0o600)
  assert.strictEqual(at(ready, "baseUrl"), `${app.origin}/api/v2`)
  const apiKey = String(at(ready, "apiKey"))
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${app.origin}/api/v2${path}`, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    })
  const get = async (path: string): Promise<unknown> => (await call(path)).json()
  return {
    ...app,
    apiKey,
    get,
    send: async (to, message) => {
      const { status } = await call("/messages", {
        method: "POST",
        body: JSON.stringify({ to, message }),
      })
      return status
    },
    settled: (to, status) =>
      eventually(async () => {
        const data = at(await get("/messages"), "data")
        const entry: unknown = Array.isArray(data)
          ? data.find((one) => at(one, "recipient") === to)
          : undefined
        assert.strictEqual(at(entry, "status"), status)
        return entry
      }),
  }
}

const balanceOf = async (app: Running) => Number(at(await app.get("/balance"), "data", "balance"))

describe("between its clients and a Kannel", () => {
  const scope = temporaryScope()
  const dataDir = temporaryFolder()
  let programs: Programs | Missing = { missing: "not looked for yet" }
  let started: { readonly rig: Rig; app: Running } | undefined

  beforeAll(async () => {
    programs = await programsOf("kannel")
    if ("missing" in programs) return
    const rig = await startRig(programs, scope)
    started = { rig, app: await start({ env: rig.env, dataDir }) }
  }, 2 * fetchMillis)
  afterAll(async () => {
    await started?.app.stop()
    await scope.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const running = (context: TestContext) => {
    if ("missing" in programs) return context.skip(programs.missing)
    return started ?? assert.fail("the example has not started")
  }

  test("sends through Kannel, and settles or refunds by Kannel's reports", async (context) => {
    const { app } = running(context)
    assert.strictEqual(await balanceOf(app), 100)
    for (const to of [numbers.delivered, numbers.undelivered, numbers.refused]) {
      assert.strictEqual(await app.send(to, "Your parcel is here."), 200)
    }
    assert.deepInclude(await app.settled(numbers.delivered, "delivered"), {
      message: "Your parcel is here.",
      channel: "non-mask",
      price: "0.50",
      errorMessage: null,
    })
    assert.deepInclude(await app.settled(numbers.undelivered, "undelivered"), {
      price: "0.00",
      errorMessage: "UNDELIV, error 011",
    })
    assert.deepInclude(await app.settled(numbers.refused, "rejected"), {
      price: "0.00",
      errorMessage: "0x0000000b Invalid Destination Address",
    })
    assert.strictEqual(await balanceOf(app), 99.5)
    assert.strictEqual(at(await app.get("/messages"), "pagination", "total"), 3)
  })

  test("sends a long text in Bangla as one message, at the price of one", async (context) => {
    const { app, rig } = running(context)
    const balance = await balanceOf(app)
    const text = bangla.repeat(2).trimEnd()
    assert.strictEqual(await app.send(numbers.bangla, text), 200)
    assert.deepInclude(await app.settled(numbers.bangla, "delivered"), {
      message: text,
      price: "0.50",
    })
    assert.strictEqual(await balanceOf(app), balance - 0.5)
    await eventually(() => {
      const parts = rig.smsc.received
        .filter(({ pdu }) => pdu.destination.address === numbers.bangla)
        .toSorted((one, other) => (one.header[5] ?? 0) - (other.header[5] ?? 0))
      assert.strictEqual(parts.map((part) => part.text).join(""), text, rig.kannel.logs())
      assert.strictEqual(parts.length, 2)
    })
  })

  test("rejects a report that is not signed for its message", async (context) => {
    const { app, rig } = running(context)
    assert.strictEqual(await app.send(numbers.silent, "Are you there?"), 200)
    const forged = `${rig.env.KANNEL_CALLBACK_URL}/acme.1/${"A".repeat(43)}?type=2`
    assert.strictEqual((await fetch(forged)).status, 403)
    assert.deepInclude(await app.settled(numbers.silent, "accepted"), { price: "0.50" })
  })

  test("exits with code 0 at SIGTERM, and settles open messages after a restart", async (context) => {
    const all = running(context)
    const { smsc, env } = all.rig
    assert.strictEqual(await all.app.send(numbers.late, "Are you there?"), 200)
    await all.app.settled(numbers.late, "accepted")
    const id = 1 + smsc.received.findIndex(({ pdu }) => pdu.destination.address === numbers.late)
    const balance = await balanceOf(all.app)
    const { apiKey } = all.app
    const { code, stderr } = await all.app.kill("SIGTERM")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(stderr, "")

    all.app = await start({ env, dataDir })
    assert.strictEqual(all.app.apiKey, apiKey)
    assert.deepInclude(await all.app.settled(numbers.late, "accepted"), { price: "0.50" })
    assert.strictEqual(await balanceOf(all.app), balance)
    await scope.run(smsc.report({ id: String(id), state: "EXPIRED" }))
    assert.deepInclude(await all.app.settled(numbers.late, "undelivered"), { price: "0.00" })
    assert.strictEqual(await balanceOf(all.app), balance + 0.5)
  })
})

describe("does not start", () => {
  const env = {
    KANNEL_URL: "http://127.0.0.1:13013/cgi-bin/sendsms",
    KANNEL_USERNAME: username,
    KANNEL_PASSWORD: password,
    KANNEL_CALLBACK_URL: "http://127.0.0.1:3000/callbacks/kannel",
    KANNEL_CALLBACK_SECRET: secret,
  }
  const refused = ({ code, stderr, stdout }: Ended) => {
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(stderr, /^kannel cannot run: .+\n$/)
    for (const hidden of [password, secret]) assert.notInclude(stderr, hidden)
    return stderr
  }

  test.each([
    ["without the user", { KANNEL_USERNAME: "" }, /KANNEL_USERNAME/],
    ["with an empty secret for reports", { KANNEL_CALLBACK_SECRET: "" }, /KANNEL_CALLBACK_SECRET/],
    [
      "with an address for reports that it does not listen on",
      { KANNEL_CALLBACK_URL: "http://127.0.0.1:3000/reports" },
      /KANNEL_CALLBACK_URL has to end with \/callbacks\/kannel/,
    ],
    [
      "with a secret that could be guessed",
      { COUNTERSIGN_SECRET: "short" },
      /COUNTERSIGN_SECRET has to have at least 32/,
    ],
    ["where the data cannot be kept", { DATA_DIR: "/dev/null/nowhere" }, /DATA_DIR/],
  ])("%s", async (_, change, sentence) => {
    const ended = await runExample("kannel", { env: { ...env, ...change } })
    assert.match(refused(ended), sentence)
  })

  test("without a secret for reports", async () => {
    const { KANNEL_CALLBACK_SECRET: _, ...rest } = env
    assert.match(refused(await runExample("kannel", { env: rest })), /KANNEL_CALLBACK_SECRET/)
  })
})
