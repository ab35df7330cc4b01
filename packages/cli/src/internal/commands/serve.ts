import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { bareCommand, group } from "../command.ts"
import { UsageError } from "../failures.ts"
import { text } from "../flags.ts"
import { print, printDone } from "../output.ts"
import { jsonOf } from "../printable.ts"

const config = text(
  "config",
  "The configuration. Default: COUNTERSIGN_CONFIG, or countersign.config.json, .ts, .mts, .js or .mjs in this folder",
  "FILE",
)

export const serve = bareCommand(
  "serve",
  "Run the whole service, configured by a file and the environment; countersign config list shows every setting",
  { config },
  function* () {
    // `bin` runs the command. Other flags lead here.
    return yield* new UsageError({
      message:
        "Write countersign serve --config FILE, without other flags. Everything else is in the configuration: see countersign config list.",
    })
  },
)

const check = bareCommand(
  "check",
  "Check the configuration of serve without a connection",
  { config },
  function* (flags) {
    const isValid = yield* Effect.tryPromise({
      try: async () => {
        const [{ readOptions }, { checkRoutes }, { checkServeOptions }] = await Promise.all([
          import("../serve/serve.ts"),
          import("../serve/routes.ts"),
          import("countersign/serve"),
        ])
        const options = await readOptions(flags.config)
        await checkServeOptions(options)
        await checkRoutes(options)
        return true
      },
      catch: (error) => error,
    }).pipe(
      Effect.catch((error) =>
        error instanceof Error && error.name === "ConfigurationError"
          ? Effect.fail(new UsageError({ message: error.message }))
          : Effect.die(error),
      ),
    )
    yield* printDone({ isValid }, "The configuration is valid.")
  },
)

const list = bareCommand(
  "list",
  "List every setting of serve, with its variable and meaning",
  {},
  function* () {
    const { settings, settingTexts } = yield* Effect.promise(() => import("countersign/serve"))
    const texts = yield* Effect.promise(settingTexts)
    const rows = settings.map(({ path, variable }) => ({
      path,
      variable,
      text: texts[path] ?? "",
    }))
    yield* print(rows, () =>
      rows.map((row) => `${row.path}\n  ${row.variable}\n  ${row.text}`).join("\n"),
    )
  },
)

const schema = bareCommand(
  "schema",
  "Print the JSON schema of countersign.config.json, for editors",
  {},
  function* () {
    const { configSchema } = yield* Effect.promise(() => import("countersign/serve"))
    yield* Console.log(jsonOf(yield* Effect.promise(configSchema), 2))
  },
)

export const configuration = group(
  "config",
  [check, list, schema],
  "Check the configuration of serve, and list its settings",
)
