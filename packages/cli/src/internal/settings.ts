/**
 * The flags that every command has.
 */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import { defaultOrganization } from "@countersign/core/codec/InputReaders"
import { defaultSchema } from "@countersign/postgres/Migrations"

export const Database = GlobalFlag.Setting("database")({
  flag: Flag.Redacted("database").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      "The PostgreSQL server: postgres://user:password@host:5432/database. Other users of the machine can read arguments; prefer DATABASE_URL",
    ),
    Flag.optional,
  ),
})

export const DataDir = GlobalFlag.Setting("data-dir")({
  flag: Flag.String("data-dir").pipe(
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("The folder of an embedded database. No other process may have it open"),
    Flag.optional,
  ),
})

export const SchemaName = GlobalFlag.Setting("schema")({
  flag: Flag.String("schema").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("The schema of the tables"),
    Flag.withDefault(defaultSchema),
  ),
})

export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON value, for scripts"),
    Flag.withDefault(false),
  ),
})

export const Yes = GlobalFlag.Setting("yes")({
  flag: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDescription("Ask no question"),
    Flag.withDefault(false),
  ),
})

export const ActorName = GlobalFlag.Setting("actor")({
  flag: Flag.String("actor").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Who the audit names. Default: cli: and the user of the system"),
    Flag.optional,
  ),
})

export const Reason = GlobalFlag.Setting("reason")({
  flag: Flag.String("reason").pipe(
    Flag.withMetavar("TEXT"),
    Flag.withDescription("Why, for the audit"),
    Flag.optional,
  ),
})

export const globalFlags = [Database, DataDir, SchemaName, Json, Yes, ActorName, Reason] as const

/** The identifiers of the settings in a context. */
export type Settings = GlobalFlag.Setting.Identifier<
  "database" | "data-dir" | "schema" | "json" | "yes" | "actor" | "reason"
>

/** The flag of the commands on one organization. */
export const organization = Flag.String("organization").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("ID"),
  Flag.withDescription("The organization"),
  Flag.withFallbackConfig(Config.String("COUNTERSIGN_ORGANIZATION")),
  Flag.withDefault(defaultOrganization),
)
