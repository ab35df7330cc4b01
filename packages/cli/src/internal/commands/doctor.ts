import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Inspection from "@countersign/postgres/Inspection"
import * as Migrations from "@countersign/postgres/Migrations"
import { migrations } from "@countersign/postgres/PostgresStore"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Environment from "../environment.ts"
import { ProblemsFound, reportOf, type Failure } from "../failures.ts"
import { bareCommand } from "../command.ts"
import * as Findings from "../findings.ts"
import { print } from "../output.ts"
import { printable, withoutSecrets } from "../printable.ts"
import * as Session from "../session.ts"
import { SchemaName } from "../settings.ts"
import * as Vendors from "../vendors.ts"

type Check<R = PgPool.PgPool> = Effect.Effect<ReadonlyArray<Findings.Finding>, Failure, R>

/** A check that could not be made is a problem. */
const attempted = <R>(name: string, advice: string, check: Check<R>) =>
  Effect.catch(check, (failure) => {
    // The advice of the doctor replaces that of the other commands.
    const [text = ""] = reportOf(failure).error.split("\n")
    return Effect.succeed([Findings.problem(name, withoutSecrets(text), advice)])
  })

const connect = "Check the address, the password and whether the server runs."

/** The advice if a check of the data could not be made, by the name of the check. */
const advices: Readonly<Record<string, string>> = {
  secret: "Set COUNTERSIGN_SECRET to the secrets of the host, the current one first.",
  "phone number secret":
    "Set COUNTERSIGN_PHONE_NUMBER_SECRET to the secrets of the host, the current one first.",
}

const again = "Run the doctor again. If it stays, look at the log of the server."

/** Reads the server, and how far its clock is from the middle of the question and its answer. */
const inspectServer = Effect.fnUntraced(function* (isEmbedded: boolean) {
  const before = yield* Clock.currentTimeMillis
  const server = yield* Inspection.server
  const after = yield* Clock.currentTimeMillis
  const clock = Findings.clockFinding(server, (before + after) / 2)
  const findings = [
    ...Findings.roleFindings(server, isEmbedded),
    ...(isEmbedded ? [] : Findings.poolerFindings(yield* Inspection.pooler, server)),
    ...Findings.durabilityFindings(server),
    clock,
  ]
  return { server, findings }
})

/** Whether the environment has the secrets that rows need. */
const checkSecrets = Effect.fnUntraced(function* (
  schema: string,
  now: number,
  folder: string | undefined,
) {
  const [current, ...retiring] = yield* Environment.secrets(folder)
  const used = yield* Inspection.usedCodeSecrets(schema, now)
  if (current === undefined) return Findings.secretFindings([], used)
  const { all } = yield* CodeSecrets.CodeSecrets.pipe(
    Effect.provide(CodeSecrets.layer(current, ...retiring)),
  )
  const known = all.map(({ id }) => id)
  return Findings.secretFindings(known, used)
})

const checkNumberKeys = Effect.fnUntraced(function* (schema: string) {
  yield* Inspection.checkNumberKeys(schema, yield* Environment.numberKeys)
  const message = "The environment has every secret that phone numbers need"
  return [Findings.ok("phone number secret", message)]
})

/** Trouble that is younger may end by itself. */
const troubledMillis = Duration.toMillis("10 minutes")

const dayMillis = Duration.toMillis("1 day")

/** The findings on a schema that this build can work with. */
const inspectData = Effect.fnUntraced(function* (
  schema: string,
  { now, role }: Inspection.Server,
  folder: string | undefined,
) {
  const zone = yield* DateTime.CurrentTimeZone
  const checks: Readonly<Record<string, Check>> = {
    privileges: Effect.map(Inspection.missingRights(schema), (missing) =>
      Findings.rightsFindings(role, missing),
    ),
    secret: checkSecrets(schema, now, folder),
    "phone number secret": checkNumberKeys(schema),
    "node clocks": Effect.map(
      Inspection.nodeClocks(schema, now - dayMillis),
      Findings.nodeClockFindings,
    ),
    indexes: Effect.map(Inspection.bloatedIndexes(schema), Findings.indexFindings),
    retention: Effect.map(
      Inspection.unerasedSince(schema, now - Findings.retentionMillis),
      (oldest) => [Findings.retentionFinding(oldest, zone)],
    ),
    balances: Effect.map(Inspection.withoutBalance(schema), Findings.balanceFindings),
    accounts: Effect.map(
      Inspection.accountRejections(schema, now - dayMillis),
      Findings.accountFindings,
    ),
    senders: Effect.map(Inspection.withoutDefaultSender(schema), Findings.senderFindings),
    webhooks: Effect.map(Inspection.troubledWebhooks(schema, now - troubledMillis), (troubled) =>
      Findings.webhookFindings(troubled, zone),
    ),
    settlement: Effect.map(
      Inspection.overdueMessages(schema, now - Findings.overdueMillis),
      (overdue) => [Findings.settlementFinding(overdue, zone)],
    ),
    reports: Effect.map(
      Inspection.keptReports(schema, now - Findings.keptMillis),
      Findings.reportFindings,
    ),
    gateways: Effect.map(
      Inspection.gatewayOutcomes(schema, now - dayMillis),
      Findings.gatewayFindings,
    ),
  }
  const findings = yield* Effect.forEach(Object.entries(checks), ([name, check]) =>
    attempted(name, advices[name] ?? again, check),
  )
  return findings.flat()
})

const inspect = Effect.fnUntraced(function* (at: Session.Place) {
  const schema = yield* SchemaName
  const folder = Session.folderOf(at)
  const { findings: first, server } = yield* inspectServer(folder !== undefined)
  const connections = Effect.map(Inspection.connectionBounds, Findings.connectionFindings)
  const findings = [
    ...first,
    // An embedded database has one session.
    ...(folder === undefined ? yield* attempted("connections", again, connections) : []),
  ]
  if (yield* Inspection.isLockedOut(schema)) {
    return [...findings, Findings.lockedOutFinding(server.role, schema)]
  }
  const version = yield* attempted(
    "schema",
    "Run: countersign migrate. For a schema of a newer build, run that build.",
    Effect.as(Migrations.check({ schema, migrations }), [
      Findings.ok("schema", `The schema ${schema} is at the version of this build`),
    ]),
  )
  const isUsable = version.every(({ status }) => status === "ok")
  return [...findings, ...version, ...(isUsable ? yield* inspectData(schema, server, folder) : [])]
})

const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" }

const lineOf = ({ advice, check, message, status }: Findings.Finding): string => {
  const line = `${marks[status]}  ${check}: ${printable(message)}`
  return advice === null ? line : `${line}\n         → ${advice}`
}

export const doctor = bareCommand(
  "doctor",
  "Check the database, secrets, gateways and waiting work, and advise. Changes nothing",
  {},
  function* () {
    const at = yield* Session.place
    const client = Session.layerOfClient(at)
    const database = attempted("connection", connect, Effect.provide(inspect(at), client))
    const credentials = Effect.map(Vendors.credentials, Findings.credentialFindings)
    const findings = [...(yield* database), ...(yield* credentials)]
    const count = (status: Findings.Finding["status"]) =>
      findings.filter((finding) => finding.status === status).length
    const problems = count("problem")
    const warnings = count("warning")
    yield* print({ findings, problems, warnings }, () =>
      [...findings.map(lineOf), `Problems: ${problems}. Warnings: ${warnings}.`].join("\n"),
    )
    if (problems > 0) return yield* new ProblemsFound()
  },
)
