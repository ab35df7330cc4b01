import { Messages } from "@countersign/core/services/Messages"
import { assert, describe, it } from "@effect/vitest"
import type { Principal } from "../../src/admin/AdminOptions.ts"
import { masked } from "../../src/admin/internal/maskedAnswers.ts"
import {
  ask,
  type EndpointName,
  examples,
  mount,
  operator,
  world,
} from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const support: Principal = { ...operator, roles: ["support"] }

/** The end of the numbers of `world` and of the examples. */
const inClear = /1712345\d{3}/

const names = Object.keys(examples).filter((name): name is EndpointName => name in examples)

describe("the answers to the role support", () => {
  engineTest("have no phone number in clear, at any endpoint", function* () {
    const { example } = yield* world
    const send = yield* mount({ authorize: () => support })
    const shown = new Set<EndpointName>()
    for (const name of names.filter((name) => name !== "events.stream")) {
      const { path, ...call } = example(name)
      const answer = yield* ask(send, path, call)
      assert.notMatch(answer.text, inClear, name)
      if (/\+8801\*{5}678/.test(answer.text)) shown.add(name)
    }
    assert.includeMembers(
      [...shown],
      [
        "messages.search",
        "messages.get",
        "verifications.search",
        "verifications.get",
        "records.search",
      ],
    )
  })

  engineTest("have none in the export of messages, nor in the stream of events", function* () {
    yield* world
    const send = yield* mount({ authorize: () => support })
    const path = "/organizations/acme"
    const csv = yield* ask(send, `${path}/messages.csv`)
    assert.match(csv.text, /^sequence,.*\n1,.*\+8801\*{5}678/)
    assert.notMatch(csv.text, inClear)
    const clear = yield* ask(yield* mount(), `${path}/messages.csv`)
    assert.match(clear.text, inClear)
  })

  engineTest("have none in the texts of a file, whose cells may have several lines", function* () {
    const { organization } = yield* world
    const text = 'Call "us" on\n0171 234 5678 or (0171) 2345-678'
    yield* Messages.use((_) => _.send({ organization, phoneNumber: "8801998877665", text }))
    const send = yield* mount({ authorize: () => support })
    const csv = yield* ask(send, "/organizations/acme/messages.csv")
    assert.include(csv.text, 'Call ""us"" on\n')
    assert.notMatch(csv.text.replaceAll(/[ ()-]/g, ""), /1712345678/)
    assert.include(
      (yield* ask(yield* mount(), "/organizations/acme/messages.csv")).text,
      "234 5678",
    )
  })

  engineTest("have none in the problem of a field", function* () {
    yield* world
    const send = yield* mount({ authorize: () => support })
    const body = { phoneNumbers: ["+8801998877665x"] }
    const answer = yield* ask(send, "/organizations/acme/opt-outs", { body })
    assert.strictEqual(answer.status, 422)
    // The sentence about the field has an example of its own.
    assert.notInclude(answer.text, "1998877665")
  })
})

describe("masked", () => {
  it.each([
    ["a number", `{"phoneNumber":"+8801712345678"}`, `{"phoneNumber":"+8801*****678"}`],
    ["its other forms", `["+8801712345678","8801712345678","01712345678"]`, undefined],
    ["a number of a country alone", `{"note":"call 01712345678"}`, undefined],
    ["the words of a message", `{"text":"call (017) 1234-5678, \\"now\\""}`, undefined],
    ["the label of a hit", `{"kind":"payment","label":"refund for 0171 234 5678"}`, undefined],
    ["the note of a booking", `{"note":"call (017) 1234-5678","paymentId":"p-7"}`, undefined],
    ["a name that a person has given", `{"name":"Rahim 01712-345678"}`, undefined],
    ["a reason", `{"reason":"the owner of 0171 2345678 called"}`, undefined],
    ["the end of a sentence", `{"error":"No message to +8801712345678."}`, undefined],
    ["a cell", `1,2026-11-27T00:00:00.000Z,acme.1,"'+8801712345678",sms`, undefined],
  ])("hides %s", (_, text, expected) => {
    const result = masked(text)
    assert.notMatch(result.replaceAll(/[ -]/g, ""), /1?712345678|12345678/)
    if (expected !== undefined) assert.strictEqual(result, expected)
    if (/^[[{]/.test(text)) JSON.parse(result)
  })

  it.each([
    `{"at":1764262800000,"balance":"1250000.00","change":"+1250000.50"}`,
    `{"id":"vrf_01a20572dcfc45cc03397cb29e2deefb9c363178086b","paymentId":"20261127001"}`,
    `{"time":"2026-11-27T16:00:00+06:00","zone":"+0600"}`,
  ])("keeps %s", (text) => {
    assert.strictEqual(masked(text), text)
  })

  it("reads a long text whole", () => {
    const text = JSON.stringify({ text: `${"a".repeat(20_000)} 01712345678` })
    assert.notMatch(masked(text), inClear)
    assert.isAbove(masked(text).length, 20_000)
  })
})
