/** The flags that every command has. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { defaultSchema } from "@countersign/postgres/Migrations"
import { isGiven } from "./flags.ts"

export const Database = GlobalFlag.Setting("database")({
  flag: Flag.Redacted("database").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      "The PostgreSQL server: postgres://user:password@host:5432/database. Other users of the machine can read arguments; prefer DATABASE_URL",
    ),
    Flag.optional,
  ),
})

/** A flag with a text, which may be missing. */
const text = <const Name extends string>(name: Name, metavar: string, description: string) =>
  GlobalFlag.Setting(name)({
    flag: Flag.String(name).pipe(
      Flag.withMetavar(metavar),
      Flag.withDescription(description),
      Flag.optional,
    ),
  })

export const DataDir = text(
  "data-dir",
  "FOLDER",
  "The folder of an embedded database. No other process may have it open",
)

export const SchemaName = GlobalFlag.Setting("schema")({
  flag: Flag.String("schema").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("The schema of the tables"),
    Flag.withDefault(defaultSchema),
  ),
})

export const Json = GlobalFlag.Setting("json")({
  flag: isGiven("json", "Print one JSON value, for scripts"),
})

export const Yes = GlobalFlag.Setting("yes")({
  flag: Flag.withAlias(isGiven("yes", "Ask no question"), "y"),
})

export const ActorName = text(
  "actor",
  "ID",
  "Who the audit names. Default: cli: and the user of the system",
)

export const Reason = text("reason", "TEXT", "Why, for the audit")

export const globalFlags = [Database, DataDir, SchemaName, Json, Yes, ActorName, Reason] as const

export type Settings = GlobalFlag.Setting.Identifier<
  "database" | "data-dir" | "schema" | "json" | "yes" | "actor" | "reason"
>
