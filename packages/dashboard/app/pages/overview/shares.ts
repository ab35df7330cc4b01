/** Shares and their changes, as the overview writes them. */
import { fill } from "../../i18n/dictionary.ts"
import type { Words } from "../../ui/refusals.ts"
import type { Share } from "./figures.ts"

/** Fewer cases are shown as counts. */
export const fewCases = 20

export const shareText = ({ of, part }: Share, { format, t }: Words): string => {
  if (of === 0) return "—"
  if (of >= fewCases) return format.percent(part / of)
  return fill(t.overview.partOf, { part: format.number(part), of: format.number(of) })
}

const signed = (value: number, text: string): string => {
  if (value === 0) return text
  return value > 0 ? `+${text}` : `−${text}`
}

/** The difference of two shares in points; `undefined` if one of them has few cases. */
export const pointsText = (now: Share, before: Share, { format, t }: Words): string | undefined => {
  if (now.of < fewCases || before.of < fewCases) return undefined
  const points = Math.round((now.part / now.of - before.part / before.of) * 1_000) / 10
  return fill(t.overview.points, { points: signed(points, format.number(Math.abs(points))) })
}

/** The change of an amount in per cent; `undefined` if nothing was there before. */
export const changeText = (
  now: number,
  before: number,
  { format, t }: Words,
): string | undefined => {
  if (before === 0) return undefined
  const change = Math.round((now / before - 1) * 100)
  return fill(t.overview.change, {
    change: signed(change, format.percent(Math.abs(change) / 100)),
  })
}
