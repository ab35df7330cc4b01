/** The figures of a gateway in a period, beside the period before. */
import type { GatewayActivity } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { activity as english } from "../../i18n/en/activity.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useSession } from "../../session.tsx"
import { minus } from "../../ui/decimal.ts"
import { elapsed } from "../../ui/elapsed.ts"
import { fewestForShare, messagesIn, shareOf } from "../../ui/slotShares.ts"
import { Tile, Tiles } from "../../ui/tiles.tsx"

interface Props {
  readonly now: GatewayActivity
  readonly before: GatewayActivity | undefined
}

const percentOf = ({ delivered, of }: ReturnType<typeof shareOf>): number => (100 * delivered) / of

export const Figures = ({ before, now }: Props) => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const text = t.activity
  const share = shareOf(now.statuses)
  const earlier = before && shareOf(before.statuses)
  const counts = { delivered: format.number(share.delivered), count: format.number(share.of) }
  const isShare = share.of >= fewestForShare
  const delivered = isShare
    ? format.percent(share.delivered / share.of)
    : `${counts.delivered} / ${counts.count}`
  const isComparable = isShare && earlier !== undefined && earlier.of >= fewestForShare
  const change = isComparable ? percentOf(share) - percentOf(earlier) : undefined
  const signed = (value: number) =>
    `${value < 0 ? "−" : "+"}${format.number(Math.round(Math.abs(value) * 10) / 10)}`
  const time = (millis: number | null) => (millis === null ? "—" : format.duration(elapsed(millis)))
  const paid = Number(minus(now.amount, now.refunded))
  return (
    <Tiles>
      <Tile
        label={text.sent}
        value={format.number(messagesIn(now.statuses))}
        note={
          before !== undefined &&
          fill(text.before, { count: format.number(messagesIn(before.statuses)) })
        }
      />
      <Tile
        label={text.delivered}
        value={share.of === 0 ? "—" : delivered}
        note={
          change === undefined
            ? fill(text.deliveredOf, counts)
            : fill(text.points, { change: signed(change) })
        }
      />
      <Tile
        label={text.answers}
        value={fill(text.half, { time: time(now.p50) })}
        note={fill(text.most, { time: time(now.p95) })}
      />
      <Tile
        label={text.cost}
        value={
          share.delivered === 0
            ? "—"
            : format.money((paid / share.delivered).toFixed(2), host.currency)
        }
        note={fill(text.spent, {
          amount: format.money(now.amount, host.currency),
          refunded: format.money(now.refunded, host.currency),
        })}
      />
    </Tiles>
  )
}
