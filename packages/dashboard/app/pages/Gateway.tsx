import { lazy, Suspense, useState } from "react"
import { useParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { GatewayActivityList, GatewayList, GatewayState } from "../api/types.ts"
import { activity } from "../i18n/en/activity.ts"
import { gateways } from "../i18n/en/gateways.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { periodBefore, useActivityPeriod } from "../ui/activityPeriod.ts"
import { Button } from "../ui/button.tsx"
import { NotFound, Page } from "../ui/page.tsx"
import { PeriodToggle } from "../ui/PeriodToggle.tsx"
import { Loaded } from "../ui/states.tsx"
import { Charts } from "./gateways/Charts.tsx"
import { Configuration } from "./gateways/Configuration.tsx"
import { Figures } from "./gateways/Figures.tsx"
import { GatewayBadge } from "./gateways/GatewayBadge.tsx"
import { Errors, Nodes, Pauses } from "./gateways/Tables.tsx"
import { Unmatched } from "./gateways/Unmatched.tsx"

// Most visits send no test.
const SendTest = lazy(async () => ({ default: (await import("./gateways/SendTest.tsx")).SendTest }))

const english = { ...activity, ...gateways }

const Details = ({ gateway }: { readonly gateway: GatewayState }) => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const [isTesting, setTesting] = useState(false)
  const { choose, name, period } = useActivityPeriod()
  const about = { gateway: gateway.gateway }
  const query = useRead<GatewayActivityList>(
    withQuery("gateways/activity", { ...about, ...period }),
    { every: 15_000, keep: true },
  )
  const before = useRead<GatewayActivityList>(
    withQuery("gateways/activity", { ...about, ...periodBefore(period) }),
    { keep: true },
  ).data?.gateways[0]
  return (
    <Page
      title={gateway.gateway}
      up={{ href: "/gateways", title: t.gateways.title }}
      actions={
        <>
          <PeriodToggle value={name} onChange={choose} />
          {can("messages.testGateway") && (
            <Button onClick={() => setTesting(true)}>{t.activity.test}</Button>
          )}
        </>
      }
    >
      <p>
        <GatewayBadge state={gateway.state} />
        {gateway.reason !== null && <span className="text"> {gateway.reason}</span>}
      </p>
      <Loaded query={query}>
        {({ gateways: [now] }) =>
          now !== undefined && (
            <>
              <Figures now={now} before={before} />
              <Charts activity={now} period={period} />
              <Errors errors={now.errors} />
              <Pauses pauses={now.pauses} />
              <Nodes nodes={now.nodes} />
            </>
          )
        }
      </Loaded>
      <Configuration gateway={gateway} />
      <Unmatched gateway={gateway.gateway} />
      <Suspense fallback={null}>
        {isTesting && (
          <SendTest
            gateway={gateway.gateway}
            channels={gateway.channels}
            onClose={() => setTesting(false)}
          />
        )}
      </Suspense>
    </Page>
  )
}

const Gateway = () => {
  const { gateway: name = "" } = useParams<{ gateway: string }>()
  const query = useRead<GatewayList>("gateways", { every: 10_000 })
  return (
    <Loaded query={query}>
      {({ gateways }) => {
        const gateway = gateways.find((one) => one.gateway === name)
        return gateway === undefined ? <NotFound /> : <Details gateway={gateway} />
      }}
    </Loaded>
  )
}

export default Gateway
