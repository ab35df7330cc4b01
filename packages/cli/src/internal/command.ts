import { defaultOrganization } from "@countersign/core/api/Fields"
import { organizationOf } from "@countersign/core/api/Input"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Session from "./session.ts"

type Config = Command.Command.Config

/** What a command reads of its own flags and arguments. */
export type Input<C extends Config> = Command.Command.Config.Infer<{ readonly own: C }>["own"]

/** A command over the engine, which is built when the command runs. */
export const engineCommand = <const Name extends string, const C extends Config, E, R>(
  name: Name,
  description: string,
  config: C,
  handler: (input: Command.Command.Config.Infer<C>) => Effect.Effect<void, E, R>,
) =>
  Command.make(name, config, handler).pipe(
    Command.withDescription(description),
    Command.provide(Session.layer),
  )

const flag = Flag.String("organization").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("ID"),
  Flag.withDescription("The organization. Default: COUNTERSIGN_ORGANIZATION, or default"),
  Flag.withFallbackConfig(Config.String("COUNTERSIGN_ORGANIZATION")),
  Flag.withDefault(defaultOrganization),
)

/** A command on one organization, which a flag names. */
export const organizationCommand = <const Name extends string, const C extends Config, E, R>(
  name: Name,
  description: string,
  own: C,
  handler: (organization: OrganizationId, input: Input<C>) => Effect.Effect<void, E, R>,
) =>
  engineCommand(name, description, { organization: flag, own }, ({ organization, own }) =>
    Effect.flatMap(organizationOf({ organization }), (id) => handler(id, own)),
  )
