/** The kinds of commands, and what several of them do. */
import { defaultOrganization } from "@countersign/core/api/Fields"
import { organizationOf } from "@countersign/core/api/Input"
import type { Operation } from "@countersign/core/api/Operation"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { CommandFailed, UsageError } from "./failures.ts"
import { argument } from "./flags.ts"
import * as Session from "./session.ts"
import { Yes } from "./settings.ts"

type Config = Command.Command.Config

type Step = Effect.Effect<unknown, unknown, unknown>

/** The description of a command in `--help`: a text, or the summary and the meaning of its operation. */
type About = string | Pick<Operation, "summary" | "meaning">

const textOf = (about: About): string => {
  if (typeof about === "string") return about
  return about.meaning === "" ? about.summary : `${about.summary}. ${about.meaning}`
}

/** A command without a database. */
export const bareCommand = <const Name extends string, const C extends Config, S extends Step>(
  name: Name,
  about: About,
  config: C,
  handler: (input: Command.Command.Config.Infer<C>) => Generator<S, void, never>,
) =>
  Command.make(name, config, Effect.fnUntraced(handler)).pipe(
    Command.withDescription(textOf(about)),
    Command.withShortDescription(typeof about === "string" ? about : about.summary),
  )

/** A command that has commands of its own. */
export const group = <
  const Name extends string,
  const Commands extends ReadonlyArray<Command.Command.SubcommandEntry>,
>(
  name: Name,
  commands: Commands,
  about: string,
) => Command.make(name).pipe(Command.withDescription(about), Command.withSubcommands(commands))

/** A command over the engine, which is built when the command runs. */
export const engineCommand = <const Name extends string, const C extends Config, S extends Step>(
  ...args: Parameters<typeof bareCommand<Name, C, S>>
) => Command.provide(bareCommand(...args), Session.layer)

/** Makes commands on one organization, which a flag or an argument names. */
const commandOn =
  (organization: Flag.Flag<string> | Argument.Argument<string>) =>
  <const Name extends string, const C extends Config, S extends Step>(
    name: Name,
    about: About,
    own: C,
    handler: (
      organization: OrganizationId,
      input: Command.Command.Config.Infer<{ readonly own: C }>["own"],
    ) => Generator<S, void, never>,
  ) =>
    engineCommand(name, about, { organization, own }, function* (input) {
      yield* Effect.fnUntraced(handler)(yield* organizationOf(input), input.own)
    })

/** A command on the organization of the flag. */
export const organizationCommand = commandOn(
  Flag.String("organization").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("ID"),
    Flag.withDescription("The organization. Default: COUNTERSIGN_ORGANIZATION, or default"),
    Flag.withFallbackConfig(Config.String("COUNTERSIGN_ORGANIZATION")),
    Flag.withDefault(defaultOrganization),
  ),
)

/** A command on the organization that its first argument names. */
export const ownCommand = commandOn(argument("id", "The organization"))

/** Asks, unless `--yes` answers. Fails if the answer is no, or if no terminal can answer. */
export const confirm = Effect.fnUntraced(function* (question: string) {
  if (yield* Yes) return
  const { canPrompt } = yield* TerminalCapabilities
  if (!canPrompt) {
    return yield* new UsageError({ message: `${question} No terminal can answer: give --yes.` })
  }
  const isConfirmed = yield* Prompt.Confirm({ message: question, initial: false })
  if (!isConfirmed) return yield* new CommandFailed({ message: "Nothing was done." })
})

const pageSize = 1_000

/** All items of a list that is read in pages. */
export const allOf = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  read: (page: {
    readonly after: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<A>, E, R>,
) {
  const all: Array<A> = []
  let page: ReadonlyArray<A>
  do {
    page = yield* read({ after: all.at(-1)?.id, limit: pageSize })
    all.push(...page)
  } while (page.length === pageSize)
  return all
})
