/** The examination of an organization for its alerts. */
import * as AlertState from "../../domain/alerts/AlertState.ts"
import type { AlertBounds } from "../../domain/alerts/AlertOverrides.ts"
import { spentAt } from "../../domain/money/Account.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of } from "../shared/Results.ts"

export interface Commands {
  /** Examines an organization, at most once in `checkMillis`. Fails as stale if the bounds have changed. */
  readonly CheckAlerts: {
    readonly version: number
    readonly bounds: AlertBounds
    /** Without the charges of the day, which the account has. */
    readonly values: Omit<AlertState.Values, "spend">
  }
}

export interface Results {
  readonly CheckAlerts:
    | { readonly _tag: "AlertsChecked"; readonly alerts: AlertState.Alerts }
    | { readonly _tag: "NotDue" }
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

export const checkAlerts: Decide<"CheckAlerts"> = ({ account, now, view }, command) => {
  const known = view.alerts ?? AlertState.initial(account.organization)
  if (!AlertState.isDue(known, now)) return answer({ _tag: "NotDue" })
  const values = { ...command.values, spend: spentAt(account, now) }
  const { alerts, events } = AlertState.judge(known, command.bounds, values, now)
  return answer({ _tag: "AlertsChecked", alerts }, { alerts }, events)
}
