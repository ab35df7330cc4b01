import * as Effect from "effect/Effect"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { AlertQuery, AlertRows } from "../../ports/AlertRows.ts"
import { byText } from "./outboxRows.ts"
import type { OrganizationState } from "./organizationState.ts"

/** The alerts in memory. */
export const makeAlertRows = (
  states: ReadonlyMap<OrganizationId, OrganizationState>,
): AlertRows => ({
  alerts: (organization) => Effect.sync(() => states.get(organization)?.alertRow),
  examinable: ({ after, limit, ...hours }) =>
    Effect.sync(() =>
      [...states.values()]
        .filter(({ alertRow, totals }) => alertRow?.isOpen === true || hasMessages(totals, hours))
        .map(({ alertRow, account: { organization } }) => ({
          organization,
          checkedAt: alertRow?.checkedAt ?? 0,
        }))
        .filter(({ organization }) => after === undefined || organization > after)
        .toSorted((a, b) => byText(a.organization, b.organization))
        .slice(0, limit),
    ),
})

const hasMessages = (
  totals: OrganizationState["totals"],
  { from, to }: Pick<AlertQuery, "from" | "to">,
): boolean => totals.rows().some(({ at, kind }) => kind === "messages" && at >= from && at < to)
