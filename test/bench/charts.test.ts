import { assert, describe, it } from "vitest"
import { lineChart, shortNumber, ticksOf } from "./charts.ts"

describe("ticks of an axis", () => {
  it.each([
    ["linear", [3, 47], [0, 10, 20, 30, 40, 50]],
    ["linear", [0.25, 3], [0, 0.5, 1, 1.5, 2, 2.5, 3]],
    ["linear", [0, 4_783], [0, 1_000, 2_000, 3_000, 4_000, 5_000]],
    ["linear", [0], [0, 0.2, 0.4, 0.6, 0.8, 1]],
    ["log", [0.6, 4_000], [0.1, 1, 10, 100, 1_000, 10_000]],
    ["log", [3, 40], [2, 5, 10, 20, 50]],
    ["log", [5], [5, 10]],
    ["log", [10], [10, 20]],
    ["log", [0.001, 0.01], [0.001, 0.002, 0.005, 0.01]],
  ] as const)("cover the values with round numbers: %s %o", (scale, values, ticks) => {
    assert.deepEqual(ticksOf(scale, values), ticks)
  })

  it("refuse what has no place on them", () => {
    assert.throws(() => ticksOf("log", [0, 1]), /logarithmic/)
    assert.throws(() => ticksOf("linear", [-1, 1]), /below the start/)
    assert.throws(() => ticksOf("linear", []), /needs points/)
    assert.throws(() => ticksOf("linear", [Number.NaN]), /finite/)
  })

  it("are written short", () => {
    assert.deepEqual([0, 0.25, 1_500, 20_000, 200_000, 2_500_000].map(shortNumber), [
      "0",
      "0.25",
      "1,500",
      "20,000",
      "200 k",
      "2.5 M",
    ])
  })
})

describe("a line chart", () => {
  const chart = {
    title: "Speed & <size>",
    xLabel: "connections",
    yLabel: "a second",
    series: [
      {
        name: 'the "first"',
        points: [
          [0, 0],
          [50, 5],
          [100, 10],
        ],
      },
      {
        name: "the second",
        points: [
          [0, 10],
          [100, 0],
        ],
      },
    ],
  } as const

  it("stands alone: no script, no reference, and every text escaped", () => {
    const svg = lineChart(chart)
    assert.include(svg, "Speed &amp; &lt;size&gt;")
    assert.include(svg, "the &quot;first&quot;")
    assert.notMatch(
      svg.replace('xmlns="http://www.w3.org/2000/svg"', ""),
      /<script|href|url\(|:\/\//,
    )
  })

  it("puts each point where its values say", () => {
    const [first, second] = [...lineChart(chart).matchAll(/class="line" d="M([^"]+)"/g)]
      .slice(-2)
      .map(([, path = ""]) => path.split("L").map((point) => point.split(" ").map(Number)))
    const [left = 0, bottom = 0] = first?.[0] ?? []
    const [right = 0, top = 0] = first?.[2] ?? []
    assert.deepEqual(first?.[1], [(left + right) / 2, (top + bottom) / 2])
    assert.isBelow(left, right)
    assert.isBelow(top, bottom)
    assert.deepEqual(second, [
      [left, top],
      [right, bottom],
    ])
  })

  it("breaks a long title and a long legend into rows", () => {
    const long = { ...chart, title: "A title of many words ".repeat(8).trim() }
    assert.strictEqual([...lineChart(long).matchAll(/class="title"/g)].length, 3)
    const names = Array.from({ length: 5 }, (_, index) => `a series of a longer name, ${index}`)
    const many = { ...chart, series: names.map((name) => ({ name, points: [[1, 1]] as const })) }
    const heights = [...lineChart(many).matchAll(/y="(\d+)">a series of/g)].map(([, y]) => y)
    assert.strictEqual(new Set(heights).size, 3)
  })

  it("refuses more lines than can be told apart", () => {
    const series = Array.from({ length: 6 }, () => chart.series[0])
    assert.throws(() => lineChart({ ...chart, series }), /Over 5 lines/)
  })
})
