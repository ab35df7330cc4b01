import { Link } from "wouter"
import type { Attention } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { findingPath, findingText } from "../../ui/attention.ts"
import { Icon } from "../../ui/icons.tsx"

/** Maximum number of sentences; the others are counted. */
const maxShown = 3

/** The problems of the organization, the most urgent first. Nothing if all is well. */
export const AttentionList = ({ attention }: { readonly attention: Attention | undefined }) => {
  const words = useI18n()
  const { host, isOperator } = useSession()
  const { page } = useOrganization()
  const { format, t } = words
  const findings = attention?.findings ?? []
  if (findings.length === 0) return null
  const more = findings.length - maxShown
  return (
    <ul className="attention" aria-label={t.attention.title}>
      {findings.slice(0, maxShown).map((finding) => {
        const path = findingPath(finding, page, isOperator)
        const key = `${finding.code} ${finding.target.id ?? ""} ${finding.parameters["channel"] ?? ""}`
        return (
          <li key={key} className={finding.isUrgent ? "bad" : "warn"}>
            <Icon name="fraud" />
            <span>
              {findingText(finding, host.currency, words)}{" "}
              {path !== undefined && (
                <Link href={path}>{t.attention.links[finding.target.page]}</Link>
              )}
            </span>
          </li>
        )
      })}
      {more > 0 && (
        <li className="muted">
          {format.plural(more, { one: t.attention.moreOne, other: t.attention.moreOther })}
        </li>
      )}
    </ul>
  )
}
