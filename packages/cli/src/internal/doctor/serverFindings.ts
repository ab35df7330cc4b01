/**
 * The findings on the server and its role: pure, over what `Inspection` reads.
 */
import type { Server } from "@countersign/postgres/Inspection"
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

export const durabilityFindings = ({
  fsync,
  fullPageWrites,
  synchronousCommit,
}: Server): ReadonlyArray<Finding> => {
  const check = "durability"
  const lost = [
    ...(fsync === "on" ? [] : [`fsync is ${fsync}`]),
    ...(fullPageWrites === "on" ? [] : [`full_page_writes is ${fullPageWrites}`]),
    ...(synchronousCommit === "off" ? ["synchronous_commit is off"] : []),
  ]
  return lost.length === 0
    ? [ok(check, `fsync and full_page_writes are on, synchronous_commit is ${synchronousCommit}`)]
    : lost.map((message) =>
        problem(
          check,
          `${message}, so a power failure may lose money that was booked`,
          "Turn the setting on in postgresql.conf, and restart the server.",
        ),
      )
}

/** `here` is the time of this machine, between the question to the server and its answer. */
export const clockFinding = ({ now }: Pick<Server, "now">, here: number): Finding => {
  const apart = Math.abs(now - here)
  const message = `The clocks of this machine and of the server are ${(apart / 1_000).toFixed(1)} s apart`
  const advice = "Synchronize both clocks with NTP. See repair-time if a clock was far ahead."
  if (apart >= clockMillis.problem) return problem("clock", message, advice)
  return apart >= clockMillis.warning ? warning("clock", message, advice) : ok("clock", message)
}
