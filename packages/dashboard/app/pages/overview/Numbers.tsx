import { Link } from "wouter"
import { withQuery } from "../../api/client.ts"
import type { Balance, Total } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Tile, Tiles } from "../../ui/tiles.tsx"
import { type Figures, figuresOf, type Period, whole } from "./figures.ts"
import { changeText, fewCases, pointsText, shareText } from "./shares.ts"

interface Props {
  readonly figures: Figures
  readonly totals: ReadonlyArray<Total>
  readonly before: ReadonlyArray<Total>
  readonly period: Period
  readonly balance: Balance | undefined
  readonly daysLeft: number | null
}

/** The figures of a period, each with its change against the period before and a link to its rows. */
export const Numbers = ({ balance, before, daysLeft, figures, period, totals }: Props) => {
  const words = useI18n()
  const { format, t } = words
  const { host } = useSession()
  const { page } = useOrganization()
  const money = (amount: string) => format.money(amount, host.currency)
  const [now, then] = [figuresOf(whole(totals, period)), figuresOf(before)]
  const { delivered, refunded, spent, verified, waiting } = figures
  const rows = (path: string) => page(withQuery(path, { from: period.from }))
  const note = (...parts: ReadonlyArray<string | false | undefined>) =>
    parts.filter((part) => part !== undefined && part !== false).join(" · ")
  // Fewer cases are the figure itself.
  const partOf = (part: number, of: number) =>
    of >= fewCases && fill(t.overview.partOf, { part: format.number(part), of: format.number(of) })
  return (
    <Tiles>
      <Tile
        label={t.overview.delivered}
        value={<Link href={rows("messages")}>{shareText(delivered, words)}</Link>}
        note={note(
          pointsText(now.delivered, then.delivered, words),
          partOf(delivered.part, delivered.of),
          waiting > 0 && fill(t.overview.waiting, { count: format.number(waiting) }),
        )}
      />
      <Tile
        label={t.overview.verifiedShare}
        value={<Link href={rows("verifications")}>{shareText(verified, words)}</Link>}
        note={note(
          pointsText(now.verified, then.verified, words),
          partOf(verified.part, verified.of),
        )}
      />
      <Tile
        label={t.overview.spent}
        value={<Link href={rows("balance")}>{money(spent)}</Link>}
        note={note(
          changeText(Number(now.spent), Number(then.spent), words),
          /[1-9]/.test(refunded) && fill(t.overview.refunded, { amount: money(refunded) }),
        )}
      />
      <Tile
        label={t.overview.balance}
        value={
          balance === undefined ? "…" : <Link href={page("balance")}>{money(balance.balance)}</Link>
        }
        note={note(
          daysLeft !== null && format.plural(daysLeft, t.attention.days),
          balance !== undefined &&
            /[1-9]/.test(balance.held) &&
            fill(t.overview.held, { amount: money(balance.held) }),
        )}
      />
    </Tiles>
  )
}
