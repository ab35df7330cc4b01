import { Link } from "wouter"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"

/** Leads from an empty list to the page that fills it. */
export const TryItLink = () => {
  const { t } = useI18n()
  const { page } = useOrganization()
  return (
    <Link className="button" href={page("try-it")}>
      {t.nav.tryIt}
    </Link>
  )
}
