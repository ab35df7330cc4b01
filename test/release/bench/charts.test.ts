import { assert, describe, it } from "vitest"
import { type LineChart, lineChart } from "../../bench/charts.ts"

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

  it("is self-contained: it has no script and no reference, and every text is escaped", () => {
    const svg = lineChart(chart)
    assert.include(svg, "Speed &amp; &lt;size&gt;")
    assert.include(svg, "the &quot;first&quot;")
    assert.include(svg, "connections")
    assert.include(svg, "a second")
    assert.notMatch(svg.replaceAll(/xmlns(:xlink)?="[^"]+"/g, ""), /<script|href|:\/\//)
  })

  it("places each point by its values", () => {
    const paths = [...lineChart(chart).matchAll(/d="M([^"]+)"[^>]*stroke="#(0b62c4|c2410c)"/g)]
    const [first, second] = paths.map(([, path = ""]) =>
      path.split("L").map((point) => point.split(" ").map(Number)),
    )
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

  it("starts a logarithmic axis with the power of ten below the lowest value", () => {
    const svg = lineChart({
      ...chart,
      xScale: "log",
      series: [
        {
          name: "a",
          points: [
            [2_000, 1],
            [90_000, 2],
          ],
        },
      ],
    })
    const ticks = [...svg.matchAll(/>([\d,]+)<\/text>/g)].map(([, tick]) => tick)
    assert.includeMembers(ticks, ["1,000", "10,000", "100,000"])
    assert.notInclude(ticks, "100")
  })

  it("has colors for light and dark pages", () => {
    const svg = lineChart(chart)
    assert.match(
      svg,
      /@media\(prefers-color-scheme:dark\)\{.*\[stroke="#0b62c4"\]\{stroke:#6cb0ff\}/,
    )
  })

  it.each([
    ["log", 0],
    ["log", -1],
    ["linear", Number.NaN],
    ["linear", Infinity],
  ] as const)("refuses a value that is not on its axis: %s %s", (xScale, value) => {
    const series: LineChart["series"] = [{ name: "a", points: [[value, 1]] }]
    assert.throws(() => lineChart({ ...chart, xScale, series }), /is not on the (log|linear) axis/)
  })

  it("refuses a chart without points, and more lines than a reader can distinguish", () => {
    assert.throws(() => lineChart({ ...chart, series: [] }), /without points/)
    const series = Array.from({ length: 6 }, () => chart.series[0])
    assert.throws(() => lineChart({ ...chart, series }), /Over 5 lines/)
  })
})
