/**
 * Renders charts of ECharts as SVG that follows the light or dark theme of the reader.
 */
import { type EChartsOption, init } from "echarts"

export interface Picture {
  readonly title: string
  readonly width: number
  readonly height: number
  /** Replaces the colors of the light theme with those of the dark theme. */
  readonly darkColors?: Readonly<Record<string, string>>
}

const dark = { "#ffffff": "#0d1117", "#fff": "#0d1117", "#24292f": "#e6edf3", "#d8dee4": "#30363d" }

export const themedSvg = (picture: Picture, option: EChartsOption): string => {
  const { darkColors, height, title, width } = picture
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height })
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#ffffff",
      textStyle: { fontFamily: "system-ui,sans-serif" },
      title: { text: title, left: 16, top: 12, textStyle: { color: "#24292f", fontSize: 16 } },
      ...option,
    })
    // ECharts writes colors as attributes, and a style sheet overrides attributes.
    const rules = Object.entries({ ...dark, ...darkColors }).map(
      ([light, color]) => `[fill="${light}"]{fill:${color}}[stroke="${light}"]{stroke:${color}}`,
    )
    const style = `<style>@media(prefers-color-scheme:dark){${rules.join("")}}</style>`
    return chart.renderToSVGString().replace(/<\/svg>\s*$/, `${style}\n</svg>\n`)
  } finally {
    chart.dispose()
  }
}
