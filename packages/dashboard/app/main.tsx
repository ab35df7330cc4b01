import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { Router } from "wouter"
import { ApiError } from "./api/client.ts"
import { App } from "./App.tsx"
import { basePath } from "./base.ts"
import { I18nProvider, loadFirst } from "./i18n/i18n.tsx"
import { SessionProvider } from "./session.tsx"
import { applyTheme } from "./theme.ts"
import { Boundary } from "./ui/boundary.tsx"
import { Toasts } from "./ui/toasts.tsx"

/** A refusal stays one; the rest is tried again once. */
const retry = (failures: number, error: Error): boolean =>
  failures < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502)

const client = new QueryClient({
  defaultOptions: {
    queries: { retry, retryDelay: 500, staleTime: 10_000, networkMode: "always" },
    // Without a connection, a write fails at once. The default would make it later, unasked.
    mutations: { networkMode: "always" },
  },
})

applyTheme()

const element = document.getElementById("root")
if (element === null) throw new Error("the page has no place for the dashboard")
const first = await loadFirst()
createRoot(element).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <Router base={basePath}>
          <I18nProvider first={first}>
            <Boundary>
              <Toasts>
                <SessionProvider>
                  <App />
                </SessionProvider>
              </Toasts>
            </Boundary>
          </I18nProvider>
        </Router>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
