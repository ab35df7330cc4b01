/**
 * The application's one client of PostgreSQL: on the server of DATABASE_URL, or on a database in a folder.
 * It gives `PgClient` and `SqlClient` to the application's queries, and `PgPool` to the engine's store.
 */
import * as PgliteClient from "@countersign/postgres/PgliteClient"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Config.option(Config.Redacted("DATABASE_URL"))
    const dataDir = yield* Config.withDefault(Config.String("DATA_DIR"), ".countersign")
    return Option.isSome(url)
      ? PostgresClient.layer({ url: url.value, applicationName: "effect-native" })
      : PgliteClient.layer({ dataDir })
  }),
)
