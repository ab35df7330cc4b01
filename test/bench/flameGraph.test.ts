import { assert, describe, it } from "vitest"
import { flameGraph, type Profile, selfShares } from "./flameGraph.ts"

const frame = (functionName: string, url: string, lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
})

const store =
  "file:///home/somebody/app/node_modules/.pnpm/effect@4.1.0/node_modules/effect/dist/Fiber.js"

/**
 * (root) → serve → run → run → decide, twice by two ways; idle; the collector. Every sample stands for 1 ms.
 */
const profile: Profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)", ""), children: [2, 7, 8, 9] },
    { id: 2, callFrame: frame("serve", "node:_http_server", 9), children: [3, 5] },
    { id: 3, callFrame: frame("run", store, 99), children: [4] },
    // Calls itself.
    { id: 4, callFrame: frame("run", store, 99), children: [6] },
    // The same function from the same place, as V8 keeps it apart for another position in `serve`.
    { id: 5, callFrame: frame("run", store, 99) },
    {
      id: 6,
      callFrame: frame("decide<A>", "file:///home/somebody/app/packages/core/src/Decision.ts", 41),
    },
    { id: 7, callFrame: frame("(idle)", "") },
    { id: 8, callFrame: frame("(garbage collector)", "") },
    {
      id: 9,
      callFrame: frame("", "file:///home/somebody/app/test/bench/services/countersign.ts", 3),
    },
  ],
  samples: [9, 7, 2, 3, 4, 5, 6, 6, 6, 8, 7],
  timeDeltas: Array.from({ length: 11 }, () => 1_000),
}

const titles = (svg: string): ReadonlyArray<string> =>
  [...svg.matchAll(/<g><title>([^<]+)</g)].map(([, title = ""]) => title)

describe("a flame graph", () => {
  it("merges calls of one function and calls to itself, and gives each its share of the work", () => {
    assert.deepEqual(titles(flameGraph({ title: "sends", profile })), [
      "all work, V8: 100.0 %, itself 0.0 %",
      "serve, node:_http_server:10: 77.8 %, itself 11.1 %",
      "run, effect/dist/Fiber.js:100: 66.7 %, itself 33.3 %",
      "decide&lt;A&gt;, @countersign/core/src/Decision.ts:42: 33.3 %, itself 33.3 %",
      "(garbage collector), V8: 11.1 %, itself 11.1 %",
      "(anonymous), countersign.ts:4: 11.1 %, itself 11.1 %",
    ])
  })

  it("takes the end of the profile only, where that is asked for", () => {
    const lastMicros = 5_000
    assert.deepEqual(selfShares(profile, lastMicros), [
      ["@countersign/core", 0.75],
      ["garbage collection", 0.25],
    ])
    assert.match(titles(flameGraph({ title: "", profile, lastMicros }))[0] ?? "", /^all work/)
  })

  it("names packages by the time in themselves", () => {
    const names = selfShares(profile).map(([name, share]) => `${name} ${Math.round(share * 9)}`)
    assert.deepEqual(names, [
      "effect 3",
      "@countersign/core 3",
      "Node.js and V8 1",
      "garbage collection 1",
      "the bench 1",
    ])
  })

  it("stands alone and tells nothing of the machine", () => {
    const svg = flameGraph({ title: "a < b", profile })
    assert.include(svg, "a &lt; b")
    assert.notMatch(
      svg.replace('xmlns="http://www.w3.org/2000/svg"', ""),
      /<script|href|url\(|:\/\/|\/home/,
    )
  })

  it("stays small, however many functions there are", () => {
    const many = Array.from({ length: 50_000 }, (_, index) => index + 10)
    const large: Profile = {
      nodes: [
        { id: 1, callFrame: frame("(root)", ""), children: [2] },
        { id: 2, callFrame: frame("all", ""), children: many },
        ...many.map((id) => ({ id, callFrame: frame(`function${id}`, store, id) })),
      ],
      samples: [...many, ...Array.from({ length: 5_000 }, () => 2)],
      timeDeltas: Array.from({ length: 55_000 }, () => 1_000),
    }
    assert.isBelow(flameGraph({ title: "", profile: large }).length, 300_000)
  })

  it("refuses a profile without work", () => {
    assert.throws(() => flameGraph({ title: "", profile: { ...profile, samples: [7] } }), /no work/)
  })
})
