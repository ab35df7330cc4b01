import { exitCodes } from "@countersign/cli/ExitCode"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Accounts } from "@countersign/core/services/Accounts"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { decodeJson, runCli, runJson } from "./support/runCli.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const acme = OrganizationId("acme")
const number = "+8801712345678"
const engine = testsOver(TestEngine.layer())
const env = {
  COUNTERSIGN_ORGANIZATION: "acme",
  COUNTERSIGN_SECRET: Redacted.value(TestEngine.codeSecret).replaceAll(" ", "-"),
}

/** The words of a command; those with spaces stand apart. */
const wordsOf = (line: string, more: ReadonlyArray<string>) => [...line.split(" "), ...more]

/** Runs a command on `acme` that succeeds. */
const run = Effect.fnUntraced(function* (line: string, ...more: ReadonlyArray<string>) {
  const ran = yield* runCli(wordsOf(line, more), { env })
  assert.strictEqual(ran.exitCode, 0, ran.stderr)
  return ran.stdout
})

const json = (line: string, ...more: ReadonlyArray<string>) => runJson(wordsOf(line, more), { env })

/** The exit code and the error of a command on `acme`. */
const refused = Effect.fnUntraced(function* (line: string, ...more: ReadonlyArray<string>) {
  const { exitCode, stderr } = yield* runCli(wordsOf(line, more), { env })
  return [exitCode, stderr] as const
})

const Id = Schema.Struct({ id: Schema.String })
const idOf = (value: unknown): string => Schema.decodeUnknownSync(Id)(value).id

describe("sender", () => {
  engine.effect("saves, approves, rejects and withdraws a sender", function* () {
    yield* TestEngine.open()
    const id = idOf(yield* json("sender save ACME --kind masking --status pending"))
    assert.include(yield* run(`sender approve ${id}`), "approved")
    assert.include(yield* run(`sender reject ${id}`), "rejected")
    yield* run(`sender withdraw ${id} --yes`)
    const listed = yield* run("sender list")
    assert.match(listed, new RegExp(`${id} +masking +ACME +withdrawn +no`))
    assert.match(listed, /line +non-masking +8809600000000 +approved +yes/)
    assert.deepStrictEqual(yield* refused(`sender approve ${id}`), [
      exitCodes.failed,
      `Error: The sender ${id} is withdrawn.`,
    ])
    const [unknown] = yield* refused("sender approve nonsense")
    assert.strictEqual(unknown, exitCodes.notFound)
  })
})

describe("allow", () => {
  engine.effect(
    "adds and removes addresses, and asks before it opens or closes the door",
    function* () {
      yield* TestEngine.open()
      assert.strictEqual(yield* run("allow list"), "Every address may call.")
      const [unasked] = yield* refused("allow add 203.0.113.0/24")
      assert.strictEqual(unasked, exitCodes.usage)
      yield* run("allow add 203.0.113.0/24 --yes")
      assert.deepStrictEqual(yield* json("allow add 2001:db8::1"), [
        "203.0.113.0/24",
        "2001:db8::1",
      ])
      assert.deepStrictEqual(yield* json("allow remove 203.0.113.0/24"), ["2001:db8::1"])
      const [closing] = yield* refused("allow remove 2001:db8::1")
      assert.strictEqual(closing, exitCodes.usage)
      const [exitCode, stderr] = yield* refused("allow add nonsense")
      assert.strictEqual(exitCode, exitCodes.usage)
      assert.include(stderr, '"nonsense" is no IP address')
    },
  )
})

describe("limits", () => {
  engine.effect("sets, removes and gives back limits", function* () {
    yield* TestEngine.open()
    assert.strictEqual(yield* run("limits show"), "All limits are those of the host.")
    yield* run("limits set", "sendsPerNumber=10/minute,50/2 days", "spendPerDay=500.50")
    yield* run("limits set attempts=5 checksPerOrganization=none")
    yield* run("limits set", 'codeLength={"min":6,"max":8,"default":6}')
    assert.deepStrictEqual(yield* json("limits show"), {
      sendsPerNumber: [
        { max: 10, per: "1 minute" },
        { max: 50, per: "2 days" },
      ],
      spendPerDay: "500.50",
      attempts: 5,
      checksPerOrganization: null,
      codeLength: { min: 6, max: 8, default: 6 },
    })
    assert.include(yield* run("limits show"), "10/1 minute,50/2 days")
    yield* run("limits set sendsPerNumber=default codeLength=default attempts=default")
    assert.deepStrictEqual(yield* json("limits show"), {
      spendPerDay: "500.50",
      checksPerOrganization: null,
    })
  })

  const wrong = [
    ["sendsPerNumber", "Write NAME=VALUE"],
    ["nonsense=1", "Write NAME=VALUE"],
    ["sendsPerNumber=10", "must be none, or such as 10/minute"],
    ["resendCooldown=30", 'resendCooldown must be a number with its unit: write "30 seconds"'],
    ["sendsPerNumber=10/60s", 'per must be a number with its unit: write "60 seconds"'],
    ["sendsPerNumber=10/fortnight", 'per must be a number with its unit: write "60 seconds"'],
    ["attempts=0", "attempts must be an integer between 1 and 100"],
    ["attempts=many", "attempts must be a number"],
    ["attempts=none", "attempts must be an integer"],
    ["spendPerDay=much", "spendPerDay must be a decimal"],
    ["codeLength={", "codeLength is no JSON"],
    ["codeLength=6", 'codeLength must be JSON such as {"min":4,"max":8,"default":6}'],
    ["expiresIn=300", 'expiresIn must be JSON such as {"min":"1 minute"'],
    ["expiresIn=5 minutes", 'expiresIn must be JSON such as {"min":"1 minute"'],
  ] as const
  for (const [change, said] of wrong) {
    engine.effect(`refuses ${change}`, function* () {
      yield* TestEngine.open()
      const [exitCode, stderr] = yield* refused("limits set", change)
      assert.strictEqual(exitCode, exitCodes.usage)
      assert.include(stderr, said)
    })
  }
})

describe("alerts", () => {
  engine.effect("sets bounds, switches alerts off and resets them", function* () {
    yield* TestEngine.open()
    yield* run("alerts set delivered=95 verified=off spend=20.5")
    const shown = yield* run("alerts show")
    assert.match(shown, /delivered +95 +the organization +not open/)
    assert.match(shown, /verified +off +the organization/)
    assert.match(shown, /spend +20\.50 +the organization/)
    assert.match(shown, /webhooks +15 +the defaults/)
    assert.match(yield* run("alerts set verified=default"), /verified +20 +the defaults/)
    const alerts = JSON.parse(JSON.stringify(yield* json("alerts show")))
    const bound = { alert: "delivered", bound: "95", isOwn: true }
    assert.deepStrictEqual(alerts[0], { ...bound, openSince: null, raisedAt: null })
  })

  const wrong = [
    ["balance=5", "Write NAME=VALUE, with a name of delivered"],
    ["delivered=101", "delivered must be an integer between 1 and 100"],
    ["delivered=most", "delivered must be a whole number, off or default"],
    ["spend=much", "spend must be a decimal"],
  ] as const
  for (const [change, said] of wrong) {
    engine.effect(`refuses ${change}`, function* () {
      yield* TestEngine.open()
      const [exitCode, stderr] = yield* refused("alerts set", change)
      assert.strictEqual(exitCode, exitCodes.usage)
      assert.include(stderr, said)
    })
  }
})

describe("top-up, adjust, ledger and statement", () => {
  engine.effect("book each payment id once, with a reason, and show what was booked", function* () {
    yield* TestEngine.open({ balance: undefined })
    const pay = run("top-up 50 --payment-id P7 --note", "invoice 7")
    yield* pay
    assert.match(
      yield* pay,
      /^The payment P7 was booked before: 50\.00 on 1970-01-01 06:00:00 \+06:00, by \S+\. Nothing was added\. The balance of acme is 150\.00\.$/,
    )
    const corrected = yield* json("adjust --note chargeback --payment-id C7 --yes -- -5.5")
    const booked = { organization: "acme", balance: "144.50", isRepeat: false }
    assert.deepInclude(corrected, booked)
    const listed = yield* run("ledger --limit 2")
    assert.match(
      listed,
      /2 +1970-01-01 06:00:00 \+06:00 +top-up +50\.00 +150\.00 .* P7 +\S+ +invoice 7/,
    )
    assert.match(listed, /3 .* adjustment +-5\.50 +144\.50 .* C7 +\S+ +chargeback/)
    assert.notMatch(listed, / 100\.00 +100\.00/)
    const csv = yield* run("statement --from 1970-01-01 --to 1970-01-02 --csv")
    assert.include(csv, "BDT,closing,,144.50,0.00")
    const text = yield* run("statement --from 1970-01-01 --to 1970-01-02")
    // The clock of the test is in the first month of 1970.
    assert.match(yield* run("statement"), /From +1970-01-01 00:00:00/)
    assert.match(text, /top-up +2 +150\.00/)
  })

  const wrong = [
    ["without a payment id", ["top-up 5 --note x"], "payment-id"],
    ["without a reason", ["top-up 5 --payment-id x"], "note"],
    ["with an empty reason", ["top-up 5 --payment-id x --note", " "], "note must not be empty"],
    ["of no amount", ["top-up 0 --payment-id x --note x"], "amount must be positive"],
    [
      "of less than nothing without a question",
      ["adjust --payment-id x --note x -- -5"],
      "Take 5.00 from acme?",
    ],
  ] as const
  for (const [title, [line, ...more], said] of wrong) {
    engine.effect(`book nothing ${title}`, function* () {
      yield* TestEngine.open()
      const [exitCode, stderr] = yield* refused(line, ...more)
      assert.strictEqual(exitCode, exitCodes.usage)
      assert.include(stderr, said)
      const accounts = yield* Accounts
      assert.lengthOf(yield* accounts.entries({ organization: acme }), 1)
    })
  }

  engine.effect("fail if the balance does not cover an adjustment", function* () {
    yield* TestEngine.open()
    const [exitCode, stderr] = yield* refused("adjust --payment-id x --note x --yes -- -500")
    assert.strictEqual(exitCode, exitCodes.failed)
    assert.include(stderr, "Insufficient balance: 500.00 is needed, and 100.00")
  })
})

describe("messages and verification", () => {
  engine.effect(
    "find what was sent to a number, page by page, and show it without the code",
    function* () {
      yield* TestEngine.open()
      const messages = yield* Messages
      const verifications = yield* Verifications
      yield* messages.send({ organization: acme, phoneNumber: number, text: "Welcome" })
      const { requestId } = yield* verifications.send({ organization: acme, phoneNumber: number })
      const code = yield* TestEngine.latestCode(number)

      const first = yield* run(`messages list --phone-number ${number} --limit 1`)
      assert.include(first, "delivered")
      const cursor = /--cursor (\S+)/.exec(first)?.[1] ?? ""
      const second = yield* run(`messages list --phone-number ${number} --cursor ${cursor}`)
      const id = /^(msg_\S+)/m.exec(second)?.[1] ?? ""
      const shown = yield* run(`messages show ${id}`)
      assert.match(shown, /Text +Welcome/)
      assert.match(shown, /1 +held +0\.50/)
      assert.strictEqual(yield* run("messages show 1"), shown)
      assert.strictEqual(yield* run("messages list --status failed"), "No message matches.")

      const found = yield* run("verification list --status pending")
      assert.include(found, requestId)
      const request = yield* run(`verification show ${requestId}`)
      assert.match(request, /Status +pending/)
      assert.match(request, /- +requested +until 1970/)
      const values = [request, found, yield* run(`verification show ${requestId} --json`)]
      for (const text of values) assert.notInclude(text, code)

      yield* run(`verification cancel ${requestId} --yes`)
      assert.include(yield* run("verification list"), "failed")
      assert.match(yield* run("audit"), new RegExp(`cli +verification\\.cancelled +${requestId}`))
      yield* run(`verification reset-guesses ${number} --yes --reason`, "called us")
    },
  )

  engine.effect(
    "are not found by unknown ids, and refuse a text that is not a number",
    function* () {
      yield* TestEngine.open()
      const cases = [
        ["messages show msg_1", exitCodes.notFound],
        ["verification show req_1", exitCodes.notFound],
        ["verification cancel req_1 --yes", exitCodes.notFound],
        [`verification reset-guesses ${number} --yes`, exitCodes.usage],
        ["verification reset-guesses 12 --yes --reason x", exitCodes.usage],
        ["messages show 99", exitCodes.notFound],
        ["messages list --phone-number 12", exitCodes.usage],
        ["messages list --from yesterday", exitCodes.usage],
        ["messages list -o other", exitCodes.notFound],
      ] as const
      for (const [line, exitCode] of cases) {
        assert.strictEqual((yield* refused(line))[0], exitCode, line)
      }
    },
  )
})

describe("events tail", () => {
  engine.effect("prints the newest events, or those after a sequence", function* () {
    yield* TestEngine.open()
    const all = (yield* run("events tail")).split("\n")
    assert.match(all[0] ?? "", /^1 {2}1970-01-01 06:00:00 \+06:00 {2}/)
    const later = (yield* run(`events tail --after ${all.length - 1} --json`)).split("\n")
    assert.lengthOf(later, 1)
    assert.deepInclude(decodeJson(later[0] ?? ""), { sequence: all.length })
    assert.strictEqual(yield* run(`events tail --after ${all.length}`), "There are no events.")
  })
})

describe("webhook", () => {
  engine.effect(
    "creates, changes, replays and removes a webhook, and prints a secret once",
    function* () {
      yield* TestEngine.open()
      const created = yield* json("webhook create https://example.com/hook --type verified")
      const id = idOf(created)
      assert.match(JSON.stringify(created), /"secret":"whsec_/)
      yield* run(`webhook update ${id} --all-types --no-enabled --description CRM`)
      const none = `There was no request to ${id} yet.`
      assert.strictEqual(yield* run(`webhook attempts ${id}`), none)
      const listed = yield* run("webhook list")
      assert.match(listed, new RegExp(`${id} +https://example.com/hook +disabled`))
      assert.notInclude(listed, "whsec_")
      assert.match(yield* run(`webhook rotate-secret ${id} --yes`), /Secret +whsec_/)
      assert.deepStrictEqual(yield* json(`webhook replay ${id} --after 1`), { after: 1 })
      yield* run(`webhook remove ${id} --yes`)
      assert.strictEqual(yield* run("webhook list"), "acme has no webhooks.")
      yield* refused(`webhook attempts ${id}`)
      const [gone] = yield* refused(`webhook update ${id}`)
      assert.strictEqual(gone, exitCodes.notFound)
    },
  )

  engine.effect(
    "says which secret of the engine is missing, and that an address is not public",
    function* () {
      yield* TestEngine.open()
      const create = (url: string) => ["webhook", "create", url, "-o", "acme"]
      const bare = yield* runCli(create("https://example.com/hook"))
      assert.strictEqual(bare.exitCode, exitCodes.usage)
      assert.include(bare.stderr, "COUNTERSIGN_SECRET is not set")
      const short = yield* runCli(create("https://example.com/hook"), {
        env: { COUNTERSIGN_SECRET: "hunter2" },
      })
      assert.strictEqual(short.exitCode, exitCodes.usage)
      assert.notInclude(short.stderr, "hunter2")
      const [inner, said] = yield* refused("webhook create https://127.0.0.1/hook")
      assert.strictEqual(inner, exitCodes.usage)
      assert.include(said, "not public")
    },
  )
})

describe("the environment", () => {
  engine.effect("switches records off, as the host does, and names the currency", function* () {
    yield* TestEngine.open()
    const period = "statement --from 1970-01-01 --to 1970-01-02 --json -o acme".split(" ")
    const { stdout } = yield* runCli(period, { env: { COUNTERSIGN_CURRENCY: "INR" } })
    assert.include(stdout, '"currency": "INR"')
    const wrong = yield* runCli(["org", "list"], { env: { COUNTERSIGN_RECORDS_OFF: "audits" } })
    assert.strictEqual(wrong.exitCode, exitCodes.usage)
    assert.include(wrong.stderr, "may name totals, events, bodies, audit, refusals, and not audits")
  })
})
