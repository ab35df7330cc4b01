import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Inspection from "@countersign/postgres/Inspection"
import * as Migrations from "@countersign/postgres/Migrations"
import { migrations } from "@countersign/postgres/PostgresStore"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Data from "../doctor/dataFindings.ts"
import { type Finding, ok, problem } from "../doctor/finding.ts"
import * as Server from "../doctor/serverFindings.ts"
import * as Environment from "../environment.ts"
import { ProblemsFound, reportOf, type Failure } from "../failures.ts"
import { print } from "../output.ts"
import { printable } from "../printable.ts"
import { withoutSecrets } from "../secrets.ts"
import * as Session from "../session.ts"
import { SchemaName } from "../settings.ts"
import * as Vendors from "../vendors.ts"

type Check<R = PgPool.PgPool> = Effect.Effect<ReadonlyArray<Finding>, Failure, R>

/** A check that could not be made is a problem. */
const attempted = <R>(name: string, advice: string, check: Check<R>) =>
  Effect.catch(check, (failure) => {
    // The advice of the doctor replaces that of the other commands.
    const [text = ""] = reportOf(failure).error.split("\n")
    return Effect.succeed([problem(name, withoutSecrets(text), advice)])
  })

const connect = "Check the address, the password and whether the server runs."
const again = "Run the doctor again. If it stays, look at the log of the server."

/** Reads the server, and how far its clock is from the middle of the question and its answer. */
const inspectServer = Effect.fnUntraced(function* (isEmbedded: boolean) {
  const before = yield* Clock.currentTimeMillis
  const server = yield* Inspection.server
  const after = yield* Clock.currentTimeMillis
  const clock = Server.clockFinding(server, (before + after) / 2)
  const findings = [
    ...Server.roleFindings(server, isEmbedded),
    ...(isEmbedded ? [] : Server.poolerFindings(yield* Inspection.pooler, server)),
    ...Server.durabilityFindings(server),
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
  if (current === undefined) return Data.secretFindings([], used)
  const { all } = yield* CodeSecrets.CodeSecrets.pipe(
    Effect.provide(CodeSecrets.layer(current, ...retiring)),
  )
  return Data.secretFindings(
    all.map(({ id }) => id),
    used,
  )
})

/** Trouble that is younger may end by itself. */
const troubledMillis = Duration.toMillis("10 minutes")

/** The findings on a schema that this build can work with. */
const inspectData = Effect.fnUntraced(function* (
  schema: string,
  { now, role }: Inspection.Server,
  folder: string | undefined,
) {
  const zone = yield* DateTime.CurrentTimeZone
  const numberKeys = Effect.gen(function* () {
    const keys = yield* Environment.numberKeys
    yield* Inspection.checkNumberKeys(schema, keys)
    return [ok("phone number secret", "The environment has every secret that phone numbers need")]
  })
  const setKeys =
    "Set COUNTERSIGN_PHONE_NUMBER_SECRET to the secrets of the host, the current one first."
  const setSecret = "Set COUNTERSIGN_SECRET to the secrets of the host, the current one first."
  const checks = [
    attempted(
      "privileges",
      again,
      Effect.map(Inspection.missingRights(schema), (missing) => Data.rightsFindings(role, missing)),
    ),
    attempted("secret", setSecret, checkSecrets(schema, now, folder)),
    attempted("phone number secret", setKeys, numberKeys),
    attempted(
      "senders",
      again,
      Effect.map(Inspection.withoutDefaultSender(schema), Data.senderFindings),
    ),
    attempted(
      "webhooks",
      again,
      Effect.map(Inspection.troubledWebhooks(schema, now - troubledMillis), (troubled) =>
        Data.webhookFindings(troubled, zone),
      ),
    ),
    attempted(
      "settlement",
      again,
      Effect.map(Inspection.overdueMessages(schema, now - Data.overdueMillis), (overdue) => [
        Data.settlementFinding(overdue, zone),
      ]),
    ),
    attempted(
      "reports",
      again,
      Effect.map(Inspection.keptReports(schema, now - Data.keptMillis), Data.reportFindings),
    ),
    attempted(
      "gateways",
      again,
      Effect.map(
        Inspection.gatewayOutcomes(schema, now - Duration.toMillis("1 day")),
        Data.gatewayFindings,
      ),
    ),
  ]
  return (yield* Effect.all(checks)).flat()
})

const inspect = Effect.fnUntraced(function* (at: Session.Place) {
  const schema = yield* SchemaName
  const folder = at._tag === "Folder" ? at.folder : undefined
  const { findings, server } = yield* inspectServer(folder !== undefined)
  if (yield* Inspection.isLockedOut(schema)) {
    return [...findings, Data.lockedOutFinding(server.role, schema)]
  }
  const version = yield* attempted(
    "schema",
    "Run: countersign migrate. For a schema of a newer build, run that build.",
    Effect.as(Migrations.check({ schema, migrations }), [
      ok("schema", `The schema ${schema} is at the version of this build`),
    ]),
  )
  const isUsable = version.every(({ status }) => status === "ok")
  return [...findings, ...version, ...(isUsable ? yield* inspectData(schema, server, folder) : [])]
})

const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" }

const lineOf = ({ advice, check, message, status }: Finding): string => {
  const line = `${marks[status]}  ${check}: ${printable(message)}`
  return advice === null ? line : `${line}\n         → ${advice}`
}

export const doctor = Command.make(
  "doctor",
  {},
  Effect.fnUntraced(function* () {
    const at = yield* Session.place
    const client = Session.layerOfClient(at)
    const database = attempted("connection", connect, Effect.provide(inspect(at), client))
    const credentials = Effect.map(Vendors.credentials, Data.credentialFindings)
    const findings = [...(yield* database), ...(yield* credentials)]
    const count = (status: Finding["status"]) =>
      findings.filter((finding) => finding.status === status).length
    const problems = count("problem")
    const warnings = count("warning")
    yield* print({ findings, problems, warnings }, () =>
      [...findings.map(lineOf), `Problems: ${problems}. Warnings: ${warnings}.`].join("\n"),
    )
    if (problems > 0) return yield* new ProblemsFound()
  }),
).pipe(
  Command.withDescription(
    "Check the database, the secrets, the gateways and what waits, and say what to do. Changes nothing",
  ),
)
