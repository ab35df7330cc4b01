import { useI18n } from "../i18n/i18n.tsx"
import { Page } from "../ui/page.tsx"

const Overview = () => {
  const { t } = useI18n()
  return <Page title={t.nav.overview}>{null}</Page>
}

export default Overview
