import { assert, describe, it } from "vitest"
import { callTree, flameGraph, type Frame } from "../../bench/flameGraph.ts"
import { type Profile, selfShares } from "../../bench/profile.ts"

const frame = (functionName: string, url: string, lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
})

const store =
  "file:///home/user/app/node_modules/.pnpm/effect@4.1.0/node_modules/effect/dist/Fiber.js"

/**
 * (root) → serve → run → run → decide, twice on two paths; idle; the collector. Each sample is 1 ms.
 */
const profile: Profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)", ""), children: [2, 7, 8, 9] },
    { id: 2, callFrame: frame("serve", "node:_http_server", 9), children: [3, 5] },
    { id: 3, callFrame: frame("run", store, 99), children: [4] },
    // Calls itself.
    { id: 4, callFrame: frame("run", store, 99), children: [6] },
    // The same function at the same location. V8 lists it twice for two positions in `serve`.
    { id: 5, callFrame: frame("run", store, 99) },
    {
      id: 6,
      callFrame: frame("decide<A>", "file:///home/user/app/packages/core/src/Decision.ts", 41),
    },
    { id: 7, callFrame: frame("(idle)", "") },
    { id: 8, callFrame: frame("(garbage collector)", "") },
    {
      id: 9,
      callFrame: frame("", "file:///home/user/app/test/bench/services/countersign.ts", 3),
    },
  ],
  samples: [9, 7, 2, 3, 4, 5, 6, 6, 6, 8, 7],
  timeDeltas: Array.from({ length: 11 }, () => 1_000),
}

/** Every function, with its self time and its total time in milliseconds. */
const rows = (frame: Frame): ReadonlyArray<string> => [
  `${frame.name}, ${frame.place.file}: ${frame.total / 1_000}, ${frame.self / 1_000}`,
  ...[...frame.children.values()].flatMap(rows),
]

describe("a flame graph", () => {
  it("merges calls of one function and calls to itself, and shows each function's share", () => {
    assert.deepEqual(rows(callTree(profile)), [
      "all work, V8: 9, 0",
      "serve, node:_http_server:10: 7, 1",
      "run, effect/dist/Fiber.js:100: 6, 3",
      "decide<A>, @countersign/core/src/Decision.ts:42: 3, 3",
      "(garbage collector), V8: 1, 1",
      "(anonymous), countersign.ts:4: 1, 1",
    ])
  })

  it("shows each function with its share, at that width", () => {
    const svg = flameGraph({ title: "sends", profile })
    const widthOf = (label: string): number => {
      const y = new RegExp(`translate\\(([\\d.]+) ([\\d.]+)\\)"[^>]*>${label}`).exec(svg)
      const left = Number(y?.[1]) - 3
      const top = Number(y?.[2]) - 8
      return Number(new RegExp(`M${left} ${top}l([\\d.]+) `).exec(svg)?.[1])
    }
    assert.include(svg, "decide&lt;A&gt;, @countersign/core/src/Decision.ts:42: 33.3 %")
    assert.include(svg, "effect, @effect/*: 33.3 %")
    assert.approximately(widthOf("decide"), widthOf("all work") / 3, 1)
    assert.approximately(widthOf("all work"), 1_176, 1)
  })

  it("uses only the end of the profile if requested", () => {
    const lastMicros = 5_000
    assert.deepEqual(selfShares(profile, lastMicros), [
      ["@countersign/core", 0.75],
      ["garbage collection", 0.25],
    ])
    assert.strictEqual(callTree(profile, lastMicros).total, 4_000)
  })

  it("names packages by their own time", () => {
    const names = selfShares(profile).map(([name, share]) => `${name} ${Math.round(share * 9)}`)
    assert.deepEqual(names, [
      "effect 3",
      "@countersign/core 3",
      "Node.js and V8 1",
      "garbage collection 1",
      "the bench 1",
    ])
  })

  it("is self-contained, and reveals nothing about the machine", () => {
    const svg = flameGraph({ title: "a < b", profile })
    assert.include(svg, "a &lt; b")
    assert.notMatch(
      svg.replaceAll(/xmlns(:xlink)?="[^"]+"/g, ""),
      /<script|href|url\(|:\/\/|\/home/,
    )
  })

  it("stays small for any number of functions", () => {
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
