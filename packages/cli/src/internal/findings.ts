/** The findings of the doctor: pure functions of the data that `Inspection` reads. */
import * as Money from "@countersign/core/domain/values/Money"
import * as Inspection from "@countersign/postgres/Inspection"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import { formatTime } from "./output.ts"

/** The result of one check of the doctor. */
export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "problem"
  readonly message: string
  /** The advice to the operator; `null` if there is nothing to do. */
  readonly advice: string | null
}

type Findings = ReadonlyArray<Finding>

type Server = Inspection.Server

/** The answer to a question of `Inspection`. */
type Answer<Ask extends (...input: never) => Effect.Effect<unknown, unknown, unknown>> =
  Effect.Success<ReturnType<Ask>>

export const ok = (check: string, message: string): Finding => ({
  check,
  status: "ok",
  message,
  advice: null,
})

const bad =
  (status: "warning" | "problem") =>
  (check: string, message: string, advice: string): Finding => ({ check, status, message, advice })

const warning = bad("warning")

export const problem = bad("problem")

/** A finding for each item. `fine`: the finding if there are no items. */
const each = <A>(items: ReadonlyArray<A>, fine: Finding, of: (item: A) => Finding): Findings =>
  items.length === 0 ? [fine] : items.map(of)

/** How far the clocks of this machine and of the server may differ, in milliseconds. */
const clockMillis = { warning: 1_000, problem: 30_000 }

const oldestVersion = 14

const versionFinding = ({ isReplica, version }: Server): Finding => {
  if (isReplica) {
    return problem(
      "connection",
      `PostgreSQL ${version} is a replica, which cannot be written to`,
      "Name the primary server in DATABASE_URL.",
    )
  }
  return Number.parseInt(version) < oldestVersion
    ? problem(
        "connection",
        `PostgreSQL ${version} is too old`,
        `Upgrade the server to PostgreSQL ${oldestVersion} or newer.`,
      )
    : ok("connection", `PostgreSQL ${version}`)
}

export const roleFindings = (server: Server, isEmbedded: boolean): Findings => {
  const { isSuperuser, role, version } = server
  if (isEmbedded) return [ok("connection", `PGlite, PostgreSQL ${version}`)]
  return [
    versionFinding(server),
    isSuperuser
      ? warning(
          "role",
          `The role ${role} is a superuser`,
          "Give the service a role of its own that owns nothing but its schema.",
        )
      : ok("role", `The role ${role} is no superuser`),
  ]
}

export const durabilityFindings = (server: Server): Findings => {
  const settings = `fsync and full_page_writes are on, synchronous_commit is ${server.synchronousCommit}`
  return each(Inspection.durabilityRisks(server), ok("durability", settings), (message) =>
    problem(
      "durability",
      `${message}, so a power failure may lose money that was booked`,
      "Turn the setting on, for the server, the database and the role.",
    ),
  )
}

const poolers: Readonly<Record<Inspection.Pooler, string>> = {
  none: "The connections are those of the server, without a pooler",
  transaction:
    "A pooler in transaction mode is in between, and each transaction sets its own settings",
  unknown:
    "A pooler is in between, in session mode as far as can be seen, and each transaction sets its own settings",
}

/** Whether there is a pooler, and which limits of the engine do not apply. */
export const poolerFindings = (pooler: Inspection.Pooler, server: Server): Findings => {
  const limits = {
    lock_timeout: server.lockTimeout,
    statement_timeout: server.statementTimeout,
    idle_in_transaction_session_timeout: server.idleInTransactionTimeout,
  }
  const missing = Object.entries(limits).flatMap(([name, value]) => (value === "0" ? [name] : []))
  return [
    ok("pooler", poolers[pooler]),
    missing.length === 0
      ? ok("time limits", "The limits of locks, statements and idle transactions apply")
      : problem(
          "time limits",
          `These settings do not apply: ${missing.join(", ")}`,
          "A pooler drops them. Connect to the server itself, or to a pooler that keeps SET LOCAL.",
        ),
  ]
}

/** `here` is the time of this machine, between the question to the server and its answer. */
export const clockFinding = ({ now }: Pick<Server, "now">, here: number): Finding => {
  const apart = Math.abs(now - here)
  const message = `The clocks of this machine and of the server are ${(apart / 1_000).toFixed(1)} s apart`
  const advice = "Synchronize both clocks with NTP. See repair-time if a clock was far ahead."
  if (apart >= clockMillis.problem) return problem("clock", message, advice)
  return apart >= clockMillis.warning ? warning("clock", message, advice) : ok("clock", message)
}

export const rightsFindings = (role: string, missing: Answer<typeof Inspection.missingRights>) =>
  each(
    [...Map.groupBy(missing, ({ rights }) => rights)],
    ok("privileges", `The role ${role} may read and write all tables`),
    ([rights, tables]) =>
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

/** `known`: the ids of the secrets in the environment. `needed`: the ids of the secrets that rows need. */
export const secretFindings = (known: ReadonlyArray<string>, needed: ReadonlyArray<string>) =>
  each(
    needed.filter((id) => !known.includes(id)),
    known.length === 0
      ? warning(
          "secret",
          "COUNTERSIGN_SECRET is not set. No row needs it yet",
          "Set it to the secret of the host to have it compared.",
        )
      : ok("secret", `The environment has every secret that rows need: ${known.join(", ")}`),
    (id) =>
      problem(
        "secret",
        `Rows need the secret "${id}", which is not in the environment`,
        "Add it to COUNTERSIGN_SECRET after the current one, here and on every node.",
      ),
  )

export const webhookFindings = (
  troubled: Answer<typeof Inspection.troubledWebhooks>,
  zone: DateTime.TimeZone,
): Findings =>
  each(
    troubled,
    ok("webhooks", "No enabled webhook fails"),
    ({ id, lastError, organization, status, troubledSince }) => {
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
    },
  )

/** How long a message may wait for settlement after its time, in milliseconds. */
export const overdueMillis = 300_000

export const settlementFinding = (
  { count, oldest }: Answer<typeof Inspection.overdueMessages>,
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

export const reportFindings = (kept: Answer<typeof Inspection.keptReports>): Findings =>
  each(kept, ok("reports", "Every delivery report has found its message"), ({ count, gateway }) =>
    warning(
      "reports",
      `${gateway}: ${count} delivery reports belong to no known message`,
      "Look whether another installation uses the account, or whether the gateway was renamed.",
    ),
  )

/** The share of messages that a gateway may refuse, and the fewest that count. */
const refusedShare = { warning: 0.05, problem: 0.5, fewest: 20 }

export const gatewayFindings = (outcomes: Answer<typeof Inspection.gatewayOutcomes>): Findings =>
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
): Findings =>
  each(
    credentials,
    warning(
      "credentials",
      "The environment has the credentials of no gateway",
      "Set the variables of the gateways that the host uses to have them checked.",
    ),
    ({ name, problem: why }) =>
      why === undefined
        ? ok("credentials", `${name}: complete. To try them: countersign gateways check ${name}`)
        : problem("credentials", `${name}: ${why}`, `See docs/gateways for the variables.`),
  )

/** `organizations` have no default sender. */
export const senderFindings = (organizations: ReadonlyArray<string>): Findings =>
  each(organizations, ok("senders", "Every organization has a default sender"), (id) =>
    warning(
      "senders",
      `${id} has no approved default sender, so requests that name no sender are refused`,
      `Run: countersign sender save SENDER --kind non-masking --default -o ${id}`,
    ),
  )

/**
 * The limits for the difference between the clocks of a node and of the database, in milliseconds. Ids are drawn before
 * their commit.
 */
const nodeClockMillis = { ahead: clockMillis, behind: { warning: 30_000, problem: 120_000 } }

export const nodeClockFindings = (clocks: Answer<typeof Inspection.nodeClocks>): Findings =>
  (["ahead", "behind"] as const).map((side) => {
    const apart = clocks[side]
    const away = side === "ahead" ? "ahead of" : "behind"
    const message = `The clock of a node was ${(apart / 1_000).toFixed(1)} s ${away} that of the database`
    const advice = "Synchronize the clocks of all nodes with NTP. Ids sort wrongly until then."
    const { problem: tooFar, warning: far } = nodeClockMillis[side]
    if (apart >= tooFar) return problem("node clocks", message, advice)
    if (apart >= far) return warning("node clocks", message, advice)
    return ok("node clocks", `No clock of a node is ${away} that of the database`)
  })

/** The connections of a node by default, and those that the doctor itself and an operator need. */
const freeConnections = { warning: 10, problem: 3 }

export const connectionFindings = (bounds: ReadonlyArray<Inspection.ConnectionBound>): Findings =>
  each(
    bounds.filter(({ max, used }) => max - used < freeConnections.warning),
    ok("connections", "There is room for the connections of another node"),
    ({ max, of, used }) =>
      (max - used < freeConnections.problem ? problem : warning)(
        "connections",
        `The ${of} may have ${max} connections, and ${used} are open`,
        of === "server"
          ? "Raise max_connections, lower database.maxConnections of the nodes, or use a pooler."
          : `Raise it: ALTER ${of.toUpperCase()} … CONNECTION LIMIT. Each node opens 10 by default.`,
      ),
  )

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`

export const indexFindings = (indexes: Answer<typeof Inspection.bloatedIndexes>): Findings =>
  each(
    indexes,
    ok("indexes", "No index is much larger than its entries"),
    ({ bytes, index, needed }) =>
      warning(
        "indexes",
        `${index} has ${megabytes(bytes)}, and its entries need about ${megabytes(needed)}`,
        `REINDEX INDEX CONCURRENTLY ${index}, in the schema of the tables. Then look why autovacuum is late.`,
      ),
  )

/** By then, a round of retention has erased the codes that had ended: a code lives at most a day. */
export const retentionMillis = 2 * 86_400_000

export const retentionFinding = (oldest: number | null, zone: DateTime.TimeZone): Finding =>
  oldest === null
    ? ok("retention", "Retention has no old work")
    : warning(
        "retention",
        `Codes that have ended are not erased since ${formatTime(new Date(oldest), zone)}`,
        "Start a node of the host: its background work drops old rows. Or run: countersign prune",
      )

export const balanceFindings = (empty: Answer<typeof Inspection.withoutBalance>): Findings =>
  each(
    empty,
    ok("balances", "Every balance covers a message like the last one"),
    ({ balance, charge, id }) =>
      warning(
        "balances",
        `${id} has ${Money.format(balance)}, and its last message cost ${Money.format(charge)}`,
        `Book its payment: countersign top-up AMOUNT --note TEXT --payment-id ID -o ${id}`,
      ),
  )

export const accountFindings = (rejected: Answer<typeof Inspection.accountRejections>): Findings =>
  each(rejected, ok("accounts", "No gateway has rejected its account"), (found) =>
    problem(
      "accounts",
      `${found.gateway} has rejected the account for ${found.count} of the newest messages: ${found.error}`,
      `Renew the credentials or pay the vendor. To try them: countersign gateways check VENDOR`,
    ),
  )
