/** The message of the command line for an error, and the exit code. */
import type { ErrorCode } from "@countersign/core/domain/errors/ErrorCode"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import type { Details } from "@countersign/core/domain/errors/ErrorRow"
import type { MigrationError } from "@countersign/postgres/Migrations"
import type { DataFolderInUse, PgliteStartError } from "@countersign/postgres/PgliteClient"
import type { CodeSecretMismatch } from "@countersign/core/engine/CodeSecrets"
import type { NumberKeyError } from "@countersign/postgres/PostgresStore"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { exitCodes } from "../ExitCode.ts"

/** The command line cannot be used like this. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  message: Schema.String,
}) {}

/** The command has ended without the wanted effect. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String,
}) {}

/** The doctor has found problems, which it has printed. */
export class ProblemsFound extends Schema.TaggedError<ProblemsFound>()("ProblemsFound", {}) {}

export type Failure =
  | EngineError
  | UsageError
  | CommandFailed
  | ProblemsFound
  | MigrationError
  | NumberKeyError
  | CodeSecretMismatch
  | DataFolderInUse
  | PgliteStartError
  | SqlError

export interface Report {
  readonly exitCode: number
  readonly error: string
  readonly code: ErrorCode | "usage" | "failed" | "start"
  readonly details?: Details | undefined
}

const failed = (error: string, code: Report["code"]): Report => ({
  exitCode: exitCodes.failed,
  error,
  code,
})

/** An error and its causes, at most ten, the first cause last. */
const causesOf = (error: Error, left = 10): ReadonlyArray<Error> => {
  const cause = "reason" in error && error.reason instanceof Error ? error.reason : error.cause
  return cause instanceof Error && left > 1 ? [error, ...causesOf(cause, left - 1)] : [error]
}

/** The words of the first cause, which name the address or the refusal of the server. */
const startText = (error: Error): string =>
  causesOf(error)
    // Node's error for a host with several addresses has a code, but no message.
    .map((one) => (one.message === "" && "code" in one ? String(one.code) : one.message))
    .findLast((text) => text !== "") ?? ""

/** The report on a missing right, whose SQLSTATE is 42501. */
const deniedReport = (error: Error): Report | undefined =>
  causesOf(error).some((cause) => "code" in cause && cause.code === "42501")
    ? failed(`${startText(error)}\nRun: countersign doctor`, "failed")
    : undefined

const startReport = (error: Error): Report =>
  deniedReport(error) ?? { exitCode: exitCodes.unavailable, error: startText(error), code: "start" }

/** The report on a defect. One that tells what the user has to do is no bug. */
export const defectReport = (defect: unknown): Report => {
  if (defect instanceof UsageError) return reportOf(defect)
  const isError = defect instanceof Error
  // The first cause of an error of the database says which table is missing.
  const [text] = (isError ? startText(defect) : String(defect)).split("\n")
  const denied = isError ? deniedReport(defect) : undefined
  return denied ?? failed(`Internal error: ${text}`, "internal")
}

const migrationReport = (failure: MigrationError): Report => {
  const { message: error, migration, reason } = failure
  // Without a migration, the server could not be reached, or has refused a statement before the first.
  if (reason === "MigrationFailed" && migration === undefined) return startReport(failure)
  if (reason === "InvalidSchemaName") return { exitCode: exitCodes.usage, error, code: "start" }
  return failed(reason === "Pending" ? `${error}\nRun: countersign migrate` : error, "start")
}

/** The report on a failure; `undefined` if everything was printed. */
export const reportOf = (failure: Failure): Report => {
  switch (failure._tag) {
    case "ProblemsFound":
      return { exitCode: exitCodes.problems, error: "", code: "failed" }
    case "UsageError":
      return { exitCode: exitCodes.usage, error: failure.message, code: "usage" }
    case "CommandFailed":
      return failed(failure.message, "failed")
    case "MigrationError":
      return migrationReport(failure)
    case "NumberKeyError":
    case "CodeSecretMismatch":
      return failed(failure.message, "start")
    case "DataFolderInUse":
    case "PgliteStartError":
      return { exitCode: exitCodes.unavailable, error: failure.message, code: "start" }
    case "SqlError":
      return startReport(failure)
    case "InvalidRequest": {
      const { code, details } = failure
      const error = Object.entries(details)
        .flatMap(([field, problems]) => problems.map(({ message }) => `${field} ${message}`))
        .join("\n")
      return { exitCode: exitCodes.usage, error, code, details }
    }
    case "StoreUnavailable":
      return { exitCode: exitCodes.unavailable, error: failure.message, code: failure.code }
    default: {
      const { code, message: error } = failure
      const exitCode = code.endsWith("not_found") ? exitCodes.notFound : exitCodes.failed
      return { exitCode, error, code }
    }
  }
}
