import * as Migrations from "@countersign/postgres/Migrations"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import { layerCrypto } from "@countersign/node/Node"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bareCommand } from "../command.ts"
import * as Environment from "../environment.ts"
import { print } from "../output.ts"
import { integer, isGiven, optionally } from "../flags.ts"
import * as Session from "../session.ts"
import { SchemaName } from "../settings.ts"

const { migrations } = PostgresStore

/** Splits the tables, as the first start of an engine with this option would. */
const partition = Effect.fnUntraced(function* (schema: string, partitions: number) {
  const numberKeys = yield* Environment.numberKeys
  const store = PostgresStore.layer({ schema, numberKeys, partitions })
  yield* Effect.scoped(Layer.build(Layer.provide(store, layerCrypto)))
})

const run = Effect.fnUntraced(function* (schema: string, partitions: number | undefined) {
  const done = yield* Migrations.run({ schema, migrations })
  if (partitions !== undefined) yield* partition(schema, partitions)
  const ran = migrations.filter(({ id }) => done.includes(id)).map(({ id, name }) => ({ id, name }))
  yield* print({ schema, ran }, () =>
    ran.length === 0
      ? `The schema ${schema} is up to date.`
      : ran
          .map(({ id, name }) => `The schema ${schema} has run migration ${id} ${name}.`)
          .join("\n"),
  )
})

export const migrate = bareCommand(
  "migrate",
  "Bring the tables of a schema to the version of this build",
  {
    sql: isGiven("sql", "Print the statements, and connect to no database"),
    after: Flag.Int("after").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("With --sql: the last migration that the schema has run"),
      Flag.withDefault(0),
    ),
    partitions: optionally(
      integer("partitions", "Split the tables of a schema without organizations", 2, 1_024),
    ),
  },
  function* ({ after, partitions, sql }) {
    const schema = yield* SchemaName
    if (sql) return yield* Console.log(yield* Migrations.script({ schema, migrations }, after))
    const client = Session.layerOfClient(yield* Session.namedPlace)
    yield* Effect.provide(run(schema, partitions), client)
  },
)
