/**
 * The findings on the data of a schema: pure, over what `Inspection` reads.
 */
import type * as DateTime from "effect/DateTime"
import { formatTime } from "../table.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"

export const rightsFindings = (
  role: string,
  missing: ReadonlyArray<{ readonly table: string; readonly rights: string }>,
): ReadonlyArray<Finding> =>
  missing.length === 0
    ? [ok("privileges", `The role ${role} may read and write all tables`)]
    : [...Map.groupBy(missing, ({ rights }) => rights)].map(([rights, tables]) =>
        problem(
          "privileges",
          `The role ${role} lacks ${rights} on ${tables.map(({ table }) => table).join(", ")}`,
          `GRANT ${rights} ON these tables TO the role of the service.`,
        ),
      )

export const lockedOutFinding = (role: string, schema: string): Finding =>
  problem(
    "privileges",
    `The role ${role} may not use the schema ${schema}`,
    "GRANT USAGE ON the schema TO the role of the service.",
  )

/** `known`: the ids of the secrets in the environment. `needed`: those of rows. */
export const secretFindings = (
  known: ReadonlyArray<string>,
  needed: ReadonlyArray<string>,
): ReadonlyArray<Finding> => {
  const check = "secret"
  const wrong = needed
    .filter((id) => !known.includes(id))
    .map((id) =>
      problem(
        check,
        `Rows need the secret "${id}", which is not in the environment`,
        "Add it to COUNTERSIGN_SECRET after the current one, here and on every node.",
      ),
    )
  if (wrong.length > 0) return wrong
  return known.length === 0
    ? [
        warning(
          check,
          "COUNTERSIGN_SECRET is not set. No row needs it yet",
          "Set it to the secret of the host to have it compared.",
        ),
      ]
    : [ok(check, `The environment has every secret that rows need: ${known.join(", ")}`)]
}

export interface TroubledWebhook {
  readonly organization: string
  readonly id: string
  readonly status: string
  readonly troubledSince: number | null
  readonly lastError: string | null
}

export const webhookFindings = (
  troubled: ReadonlyArray<TroubledWebhook>,
  zone: DateTime.TimeZone,
): ReadonlyArray<Finding> =>
  troubled.length === 0
    ? [ok("webhooks", "No enabled webhook fails")]
    : troubled.map(({ id, lastError, organization, status, troubledSince }) => {
        const since =
          troubledSince === null ? "" : ` since ${formatTime(new Date(troubledSince), zone)}`
        const about = `${id} of ${organization}`
        const why = lastError === null ? "" : `: ${lastError}`
        return status === "active"
          ? warning(
              "webhooks",
              `${about} fails${since}${why}`,
              "Repair the receiver. Events wait for three days.",
            )
          : problem(
              "webhooks",
              `Deliveries to ${about} have ended${why}`,
              `Repair the receiver, then run: countersign webhook replay ${id} -o ${organization}`,
            )
      })

/** How long a message may wait for settlement after its time, in milliseconds. */
export const overdueMillis = 300_000

export const settlementFinding = (
  { count, oldest }: { readonly count: number; readonly oldest: number | null },
  zone: DateTime.TimeZone,
): Finding =>
  oldest === null
    ? ok("settlement", "No message waits for its settlement")
    : problem(
        "settlement",
        `Messages that should have been settled: ${count}, since ${formatTime(new Date(oldest), zone)}`,
        "Start a node of the host: its background work settles them. Or run: countersign settle",
      )

/** How long a report usually waits for its message at most, in milliseconds. */
export const keptMillis = 3_600_000

export const reportFindings = (
  kept: ReadonlyArray<{ readonly gateway: string; readonly count: number }>,
): ReadonlyArray<Finding> =>
  kept.length === 0
    ? [ok("reports", "Every delivery report has found its message")]
    : kept.map(({ count, gateway }) =>
        warning(
          "reports",
          `${gateway}: ${count} delivery reports belong to no known message`,
          "Look whether another installation uses the account, or whether the gateway was renamed.",
        ),
      )

/** The share of messages that a gateway may refuse, and the fewest that count. */
export const refusedShare = { warning: 0.05, problem: 0.5, fewest: 20 }

export const gatewayFindings = (
  outcomes: ReadonlyArray<{
    readonly gateway: string
    readonly count: number
    readonly failed: number
  }>,
): ReadonlyArray<Finding> =>
  outcomes.map(({ count, failed, gateway }) => {
    const message = `${gateway}: ${failed} of ${count} messages were not sent in the last day`
    const advice = `Look for their reasons: countersign messages list --gateway ${gateway} --status failed --status rejected`
    const share = count < refusedShare.fewest ? 0 : failed / count
    if (share >= refusedShare.problem) return problem("gateways", message, advice)
    return share >= refusedShare.warning
      ? warning("gateways", message, advice)
      : ok("gateways", message)
  })

export const credentialFindings = (
  credentials: ReadonlyArray<{ readonly name: string; readonly problem: string | undefined }>,
): ReadonlyArray<Finding> =>
  credentials.length === 0
    ? [
        warning(
          "credentials",
          "The environment has the credentials of no gateway",
          "Set the variables of the gateways that the host uses to have them checked.",
        ),
      ]
    : credentials.map(({ name, problem: why }) =>
        why === undefined
          ? ok("credentials", `${name}: complete. To try them: countersign gateways check ${name}`)
          : problem("credentials", `${name}: ${why}`, `See docs/gateways for the variables.`),
      )

/** `organizations` have no default sender. */
export const senderFindings = (organizations: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  organizations.length === 0
    ? [ok("senders", "Every organization has a default sender")]
    : organizations.map((id) =>
        warning(
          "senders",
          `${id} has no approved default sender, so requests that name no sender are refused`,
          `Run: countersign sender save SENDER --kind non-masking --default -o ${id}`,
        ),
      )
