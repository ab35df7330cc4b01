import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import * as Linearizability from "../src/Linearizability.ts"

type Input = { readonly write: number } | "read"

/** A register, as the definitions of linearizability have it. */
const register: Linearizability.Model<number, Input, number> = {
  initial: 0,
  step: (state, input, output) => {
    if (input !== "read") return input.write
    return output === undefined || output === state ? state : undefined
  },
  describe: (input, output) =>
    input === "read" ? `read → ${output ?? "no answer"}` : `write ${input.write}`,
}

type Call = Linearizability.Call<Input, number>

/** A call with its times; without an answer if the output is `null`. */
const call = (
  client: string,
  calledAt: number,
  at: number,
  input: Input,
  output: number | null = 0,
): Call => ({ client, input, calledAt, answer: output === null ? undefined : { output, at } })

const isLinearizable = (calls: ReadonlyArray<Call>): boolean =>
  Linearizability.check(register, calls) === undefined

/** Tries every order of the calls, without those that have no answer in every combination. */
const isLinearizableByTrial = (calls: ReadonlyArray<Call>, state = 0): boolean => {
  const isDone = calls.every(({ answer }) => answer === undefined)
  return (
    isDone ||
    calls.some((next) => {
      const isLate = calls.some(({ answer }) => answer !== undefined && answer.at < next.calledAt)
      const after = isLate ? undefined : register.step(state, next.input, next.answer?.output)
      const rest = calls.filter((one) => one !== next)
      return after !== undefined && isLinearizableByTrial(rest, after)
    })
  )
}

const history: fc.Arbitrary<ReadonlyArray<Call>> = fc.array(
  fc
    .record({
      calledAt: fc.nat({ max: 12 }),
      length: fc.integer({ min: 1, max: 8 }),
      value: fc.nat({ max: 2 }),
      isRead: fc.boolean(),
      isAnswered: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    })
    .map(({ calledAt, isAnswered, isRead, length, value }) =>
      call(
        "a",
        calledAt,
        calledAt + length,
        isRead ? "read" : { write: value },
        isAnswered ? value : null,
      ),
    ),
  { maxLength: 6 },
)

describe("Linearizability", () => {
  it.each<[boolean, string, ReadonlyArray<Call>]>([
    [true, "no calls", []],
    [true, "a read of the initial state", [call("a", 0, 1, "read", 0)]],
    [false, "a read of a value that was not written", [call("a", 0, 1, "read", 1)]],
    [
      false,
      "a read of the value before a write that was answered",
      [call("a", 0, 1, { write: 1 }), call("b", 2, 3, "read", 0)],
    ],
    [
      true,
      "a read of the value before a concurrent write",
      [call("a", 0, 3, { write: 1 }), call("b", 2, 4, "read", 0)],
    ],
    [
      false,
      "two reads in turn that see a concurrent write and then the value before it",
      [call("a", 0, 9, { write: 1 }), call("b", 1, 2, "read", 1), call("b", 3, 4, "read", 0)],
    ],
    [
      true,
      "a write without an answer that had an effect much later",
      [call("a", 0, 1, { write: 1 }, null), call("b", 2, 3, "read", 0), call("b", 4, 5, "read", 1)],
    ],
    [
      true,
      "a write without an answer that never had an effect",
      [call("a", 0, 1, { write: 1 }, null), call("b", 2, 3, "read", 0)],
    ],
    [
      false,
      "a write without an answer that had its effect twice",
      [
        call("a", 0, 1, { write: 1 }, null),
        call("b", 2, 3, "read", 1),
        call("b", 4, 5, { write: 2 }),
        call("b", 6, 7, "read", 1),
      ],
    ],
    [
      true,
      "calls that touch at one time, in either order",
      [call("a", 0, 2, { write: 1 }), call("b", 2, 3, "read", 0)],
    ],
  ])("is %s for %s", (expected, _, calls) => {
    assert.strictEqual(isLinearizable(calls), expected)
  })

  it("law: agrees with a trial of every order", () => {
    fc.assert(
      fc.property(history, (calls) => {
        assert.strictEqual(isLinearizable(calls), isLinearizableByTrial(calls))
      }),
      { numRuns: 2_000 },
    )
  })

  it("explains the shortest beginning that is illegal, in the longest legal order", () => {
    const problem = Linearizability.check(register, [
      call("b", 2, 5, "read", 1),
      call("a", 0, 1, { write: 1 }),
      call("c", 3, 6, "read", 2),
      call("a", 7, 8, { write: 2 }),
      call("a", 9, 10, "read", 2),
    ])
    assert.deepStrictEqual(problem, {
      reason: "illegal",
      order: [
        { call: "[0, 1] a: write 1", state: "1" },
        { call: "[2, 5] b: read → 1", state: "1" },
      ],
      blocked: ["[3, 6] c: read → 2"],
    })
    assert(problem !== undefined)
    const text = Linearizability.format(problem)
    assert.include(text, "  [0, 1] a: write 1\n      1\n")
    assert.isTrue(text.endsWith("None of these calls can be next:\n  [3, 6] c: read → 2"), text)
  })

  it("ends at its bound", () => {
    const calls = Array.from({ length: 20 }, (_, index) => call(`${index}`, 0, 1, { write: index }))
    const problem = Linearizability.check(register, [...calls, call("a", 2, 3, "read", 99)], {
      maxSteps: 1_000,
    })
    assert.strictEqual(problem?.reason, "undecided")
  })

  it("divides a history by the things that it is about", () => {
    const calls = [
      call("a", 0, 1, "read", 0),
      call("b", 0, 1, { write: 1 }),
      call("a", 2, 3, "read", 1),
    ]
    const parts = Linearizability.partition(calls, ({ client }) =>
      client === "a" ? client : undefined,
    )
    assert.deepStrictEqual([...parts], [["a", [calls[0], calls[2]]]])
  })

  it("records starts and answers in one order", () => {
    const history = Linearizability.recorder<string, string>()
    const first = history.begin("a", "one")
    const second = history.begin("b", "two")
    second("2")
    first("1")
    history.begin("b", "three")
    assert.deepStrictEqual(history.calls(), [
      { client: "a", input: "one", calledAt: 0, answer: { output: "1", at: 3 } },
      { client: "b", input: "two", calledAt: 1, answer: { output: "2", at: 2 } },
      { client: "b", input: "three", calledAt: 4, answer: undefined },
    ])
  })
})
