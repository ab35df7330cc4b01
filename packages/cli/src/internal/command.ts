import * as Command from "effect/cli/Command"
import type * as Effect from "effect/Effect"
import * as Session from "./session.ts"

/** A command over the engine, which is built when the command runs. */
export const engineCommand = <
  const Name extends string,
  const Config extends Command.Command.Config,
  E,
  R,
>(
  name: Name,
  description: string,
  config: Config,
  handler: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, E, R>,
) =>
  Command.make(name, config, handler).pipe(
    Command.withDescription(description),
    Command.provide(Session.layer),
  )
