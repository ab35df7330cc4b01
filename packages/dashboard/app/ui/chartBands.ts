/** Times that a chart shades, such as pauses, below its lines. */
import type uPlot from "uplot"

export interface Band {
  readonly from: number
  readonly to: number
}

/** The hook of a chart that draws bands in a color. A short band is still two pixels wide. */
export const bandsHook =
  (bands: ReadonlyArray<Band>, color: string) =>
  (chart: uPlot): void => {
    const { ctx } = chart
    const { height, left, top, width } = chart.bbox
    const place = (at: number) =>
      Math.max(left, Math.min(left + width, chart.valToPos(at / 1_000, "x", true)))
    ctx.save()
    ctx.globalAlpha = 0.1
    ctx.fillStyle = color
    for (const { from, to } of bands)
      ctx.fillRect(place(from), top, Math.max(2, place(to) - place(from)), height)
    ctx.restore()
  }
