/**
 * The findings on the server and its role: pure, over what `Inspection` reads.
 */
import { durabilityRisks, type Pooler, type Server } from "@countersign/postgres/Inspection"
import { type Finding, ok, problem, warning } from "./finding.ts"

/** How far the clocks of this machine and of the server may differ, in milliseconds. */
export const clockMillis = { warning: 1_000, problem: 30_000 }

/** The oldest version of PostgreSQL that the store works with. */
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

export const roleFindings = (server: Server, isEmbedded: boolean): ReadonlyArray<Finding> => {
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

export const durabilityFindings = (server: Server): ReadonlyArray<Finding> => {
  const check = "durability"
  const { synchronousCommit } = server
  const risks = durabilityRisks(server)
  return risks.length === 0
    ? [ok(check, `fsync and full_page_writes are on, synchronous_commit is ${synchronousCommit}`)]
    : risks.map((message) =>
        problem(
          check,
          `${message}, so a power failure may lose money that was booked`,
          "Turn the setting on, for the server, the database and the role.",
        ),
      )
}

const poolers: Readonly<Record<Pooler, string>> = {
  none: "The connections are those of the server, without a pooler",
  transaction:
    "A pooler in transaction mode is in between, and each transaction sets its own settings",
  unknown:
    "A pooler is in between, in session mode as far as can be seen, and each transaction sets its own settings",
}

/** Whether there is a pooler, and which limits of the engine do not apply. */
export const poolerFindings = (pooler: Pooler, server: Server): ReadonlyArray<Finding> => {
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
