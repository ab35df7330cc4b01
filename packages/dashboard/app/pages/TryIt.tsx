import { lazy, Suspense } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Page } from "../ui/page.tsx"
import { Loading } from "../ui/states.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { TryVerification } from "./tryIt/TryVerification.tsx"

const TryMessage = lazy(() => import("./tryIt/TryMessage.tsx"))

const TryIt = () => {
  const { t } = useI18n()
  const { host } = useSession()
  return (
    <Page title={t.tryIt.title} intro={t.tryIt.intro}>
      <p className={`notice ${host.production ? "warn" : ""}`}>
        {host.production ? t.tryIt.production : t.tryIt.development}
      </p>
      <Suspense fallback={<Loading />}>
        <Tabs
          tabs={[
            {
              value: "verification",
              label: t.tryIt.verificationTab,
              content: <TryVerification />,
              // A verification goes on after a look at a message.
              keep: true,
            },
            { value: "message", label: t.tryIt.messageTab, content: <TryMessage /> },
          ]}
        />
      </Suspense>
    </Page>
  )
}

export default TryIt
