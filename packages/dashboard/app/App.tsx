import { lazy, type ReactNode, Suspense, useEffect } from "react"
import { Link, Redirect, Route, Switch, useParams } from "wouter"
import { ApiError, useRead } from "./api/client.ts"
import type { Organization, OrganizationList } from "./api/types.ts"
import { useI18n } from "./i18n/i18n.tsx"
import { OrganizationProvider, useOrganization, useSession } from "./session.tsx"
import { Shell } from "./shell/Shell.tsx"
import { rememberOrganization } from "./shell/recent.ts"
import { readStored } from "./stored.ts"
import { Boundary } from "./ui/boundary.tsx"
import { Home as HomeLink, NotFound, Page } from "./ui/page.tsx"
import { Loaded, Loading } from "./ui/states.tsx"

const Overview = lazy(() => import("./pages/Overview.tsx"))
const ApiKeys = lazy(() => import("./pages/ApiKeys.tsx"))
const Messages = lazy(() => import("./pages/Messages.tsx"))
const Message = lazy(() => import("./pages/Message.tsx"))
const Batches = lazy(() => import("./pages/Batches.tsx"))
const Batch = lazy(() => import("./pages/Batch.tsx"))
const NewBatch = lazy(() => import("./pages/NewBatch.tsx"))
const Queued = lazy(() => import("./pages/Queued.tsx"))
const Verifications = lazy(() => import("./pages/Verifications.tsx"))
const Verification = lazy(() => import("./pages/Verification.tsx"))
const Refusals = lazy(() => import("./pages/Refusals.tsx"))
const Balance = lazy(() => import("./pages/Balance.tsx"))
const Senders = lazy(() => import("./pages/Senders.tsx"))
const Webhooks = lazy(() => import("./pages/Webhooks.tsx"))
const Webhook = lazy(() => import("./pages/Webhook.tsx"))
const Settings = lazy(() => import("./pages/Settings.tsx"))
const Audit = lazy(() => import("./pages/Audit.tsx"))
const Fraud = lazy(() => import("./pages/Fraud.tsx"))
const TryIt = lazy(() => import("./pages/TryIt.tsx"))
const Gateways = lazy(() => import("./pages/Gateways.tsx"))
const Gateway = lazy(() => import("./pages/Gateway.tsx"))
const Sessions = lazy(() => import("./pages/Sessions.tsx"))
const SearchResults = lazy(() => import("./pages/SearchResults.tsx"))
const Organizations = lazy(() => import("./pages/Organizations.tsx"))

/** The organization that the reader saw last, or the first one. */
const Home = () => {
  const { can, organizations } = useSession()
  const stored = readStored("organization")
  const known = organizations === null || organizations.includes(stored ?? "")
  const last = useRead<Organization>(`organizations/${encodeURIComponent(stored ?? "")}`, {
    enabled: stored !== undefined && known,
  })
  const first = useRead<OrganizationList>("organizations?limit=1", {
    enabled: stored === undefined || !known || last.isError,
  })
  const page = can("messages.search") ? "" : "/balance"
  if (last.data !== undefined) return <Redirect to={`/org/${last.data.id}${page}`} replace />
  if (last.isFetching) return <Loading />
  return (
    <Loaded query={first}>
      {({ organizations: [found] }) => (
        <Redirect to={found === undefined ? "/organizations" : `/org/${found.id}${page}`} replace />
      )}
    </Loaded>
  )
}

const OrganizationSearch = () => <SearchResults organization={useOrganization().id} />

const OrganizationPages = () => {
  const { organization: id = "" } = useParams<{ organization: string }>()
  useEffect(() => rememberOrganization(id), [id])
  return (
    <OrganizationProvider value={id}>
      <Shell organization={id}>
        <Known id={id}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/org/:organization" component={Overview} />
              <Route path="/org/:organization/api-keys" component={ApiKeys} />
              <Route path="/org/:organization/messages" component={Messages} />
              <Route path="/org/:organization/messages/queued" component={Queued} />
              <Route path="/org/:organization/messages/:id" component={Message} />
              <Route path="/org/:organization/batches" component={Batches} />
              <Route path="/org/:organization/batches/new" component={NewBatch} />
              <Route path="/org/:organization/batches/:id" component={Batch} />
              <Route path="/org/:organization/verifications" component={Verifications} />
              <Route path="/org/:organization/verifications/:id" component={Verification} />
              <Route path="/org/:organization/refusals" component={Refusals} />
              <Route path="/org/:organization/balance" component={Balance} />
              <Route path="/org/:organization/senders" component={Senders} />
              <Route path="/org/:organization/webhooks" component={Webhooks} />
              <Route path="/org/:organization/webhooks/:id" component={Webhook} />
              <Route path="/org/:organization/settings" component={Settings} />
              <Route path="/org/:organization/audit" component={Audit} />
              <Route path="/org/:organization/fraud" component={Fraud} />
              <Route path="/org/:organization/try-it" component={TryIt} />
              <Route path="/org/:organization/search" component={OrganizationSearch} />
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </Known>
      </Shell>
    </OrganizationProvider>
  )
}

/** Shows pages of an organization that exists. */
const Known = ({ children, id }: { readonly id: string; readonly children: ReactNode }) => {
  const { t } = useI18n()
  const query = useRead<Organization>(`organizations/${encodeURIComponent(id)}`)
  if (query.error instanceof ApiError && query.error.status === 404)
    return (
      <Page title={t.organization.notFound}>
        <p>{t.organization.notFoundHint}</p>
        <HomeLink />
      </Page>
    )
  return (
    <Loaded query={query}>
      {({ hasDefaultSender, isSuspended }) => (
        <>
          {isSuspended && <p className="notice warn">{t.organization.suspendedNotice}</p>}
          {!hasDefaultSender && (
            <p className="notice warn">
              {t.organization.noSenderNotice}{" "}
              <Link href={`/org/${encodeURIComponent(id)}/senders`}>{t.nav.senders}</Link>
            </p>
          )}
          {children}
        </>
      )}
    </Loaded>
  )
}

const OperatorPages = () => (
  <Shell organization={readStored("organization")}>
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/organizations" component={Organizations} />
        <Route path="/gateways" component={Gateways} />
        <Route path="/gateways/:gateway" component={Gateway} />
        <Route path="/sessions" component={Sessions} />
        <Route path="/search">
          <SearchResults />
        </Route>
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  </Shell>
)

export const App = () => (
  <Boundary>
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/org/:organization/*?" component={OrganizationPages} />
      <Route component={OperatorPages} />
    </Switch>
  </Boundary>
)
