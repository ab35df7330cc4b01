/**
 * What the command line says about an error, and the exit code that it ends with.
 */
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

/** Everything that a command can fail with. */
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

/** An error as it is printed. */
export interface Report {
  readonly exitCode: number
  readonly error: string
  readonly code: ErrorCode | "usage" | "failed" | "start"
  readonly details?: Details | undefined
}

const textOf = (error: EngineError): string =>
  error._tag === "InvalidRequest"
    ? Object.entries(error.details)
        .flatMap(([field, problems]) => problems.map(({ message }) => `${field} ${message}`))
        .join("\n")
    : error.message

const exitCodeOf = (error: EngineError): number => {
  if (error._tag === "InvalidRequest") return exitCodes.usage
  if (error._tag === "StoreUnavailable") return exitCodes.unavailable
  return error.code.endsWith("not_found") ? exitCodes.notFound : exitCodes.failed
}

const maxCauses = 10

/** What an error says itself. Node's error for a host with several addresses has a code, but no message. */
const ownText = (error: Error): string =>
  error.message === "" && "code" in error ? String(error.code) : error.message

/** An error and its causes, the first cause last. */
const causesOf = (error: Error): ReadonlyArray<Error> => {
  const causes = [error]
  for (let cause = causeOf(error); cause !== undefined && causes.length < maxCauses;) {
    causes.push(cause)
    cause = causeOf(cause)
  }
  return causes
}

const causeOf = (error: Error): Error | undefined => {
  const cause = "reason" in error && error.reason instanceof Error ? error.reason : error.cause
  return cause instanceof Error ? cause : undefined
}

/** The words of the first cause, which name the address or the refusal of the server. */
const startText = (error: Error): string =>
  causesOf(error)
    .map(ownText)
    .findLast((text) => text !== "") ?? ""

/** The SQLSTATE of a missing right. */
const insufficientPrivilege = "42501"

const isDenied = (error: Error): boolean =>
  causesOf(error).some((cause) => "code" in cause && cause.code === insufficientPrivilege)

const startReport = (error: Error): Report =>
  deniedReport(error) ?? { exitCode: exitCodes.unavailable, error: startText(error), code: "start" }

const deniedReport = (error: Error): Report | undefined =>
  isDenied(error)
    ? {
        exitCode: exitCodes.failed,
        error: `${startText(error)}\nRun: countersign doctor`,
        code: "failed",
      }
    : undefined

/** The report on a defect. One that tells what the user has to do is no bug. */
export const defectReport = (defect: unknown): Report => {
  if (defect instanceof UsageError) return reportOf(defect)
  const isError = defect instanceof Error
  // The first cause of an error of the database says which table is missing.
  const [text] = (isError ? startText(defect) : String(defect)).split("\n")
  const bug = {
    exitCode: exitCodes.failed,
    error: `Internal error: ${text}`,
    code: "internal",
  } as const
  return (isError ? deniedReport(defect) : undefined) ?? bug
}

const migrationReport = (failure: MigrationError): Report => {
  const { message: error, migration, reason } = failure
  const code = "start"
  switch (reason) {
    case "Pending":
      return { exitCode: exitCodes.failed, error: `${error}\nRun: countersign migrate`, code }
    case "InvalidSchemaName":
      return { exitCode: exitCodes.usage, error, code }
    case "MigrationFailed":
      // The server could not be reached, or has refused a statement of a migration.
      return migration === undefined
        ? startReport(failure)
        : { exitCode: exitCodes.failed, error, code }
    default:
      return { exitCode: exitCodes.failed, error, code }
  }
}

/** The report on a failure; `undefined` if everything was printed. */
export const reportOf = (failure: Failure): Report => {
  switch (failure._tag) {
    case "ProblemsFound":
      return { exitCode: exitCodes.problems, error: "", code: "failed" }
    case "UsageError":
      return { exitCode: exitCodes.usage, error: failure.message, code: "usage" }
    case "CommandFailed":
      return { exitCode: exitCodes.failed, error: failure.message, code: "failed" }
    case "MigrationError":
      return migrationReport(failure)
    case "NumberKeyError":
    case "CodeSecretMismatch":
      return { exitCode: exitCodes.failed, error: failure.message, code: "start" }
    case "DataFolderInUse":
    case "PgliteStartError":
      return { exitCode: exitCodes.unavailable, error: failure.message, code: "start" }
    case "SqlError":
      return startReport(failure)
    default: {
      const details = failure._tag === "InvalidRequest" ? failure.details : undefined
      const error = textOf(failure)
      return { exitCode: exitCodeOf(failure), error, code: failure.code, details }
    }
  }
}
