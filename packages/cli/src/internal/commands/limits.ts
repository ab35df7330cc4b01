import type { Limits } from "@countersign/core/api/types/limits"
import { overridesOf, plainLimits } from "@countersign/core/domain/limits/LimitsCodec"
import { coreName, names, plainTable } from "@countersign/core/domain/limits/LimitTable"
import * as Input from "@countersign/core/api/Input"
import { Organizations } from "@countersign/core/services/Organizations"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { organizationCommand } from "../command.ts"
import { UsageError } from "../failures.ts"
import * as LimitTexts from "../limitTexts.ts"
import { printTable } from "../output.ts"

const printLimits = (limits: Limits) =>
  printTable(
    Object.entries(limits),
    [
      { title: "limit", of: ([name]) => name },
      { title: "value", of: ([, value]) => LimitTexts.textOf(value) },
    ],
    { empty: "All limits are those of the host.", value: limits },
  )

const show = organizationCommand(
  "show",
  "Show the limits of an organization. The others are those of the host",
  {},
  Effect.fnUntraced(function* (id) {
    const organizations = yield* Organizations
    const found = yield* organizations.get({ id })
    yield* printLimits(plainLimits(found.settings.limits))
  }),
)

const described = names.map((name) => `${name} (${plainTable[name].label})`).join(", ")

const set = organizationCommand(
  "set",
  "Set limits of an organization: messagesPerOrganization=100/minute resendCooldown='1 minute' spendPerDay=500 attempts=default",
  {
    changes: Argument.String("change").pipe(
      Argument.withMetavar("NAME=VALUE"),
      Argument.withDescription(
        `${described}. A value of none removes the limit, default leaves it to the host`,
      ),
      Argument.atLeast(1),
    ),
  },
  Effect.fnUntraced(function* (id, { changes }) {
    const organizations = yield* Organizations
    const read = LimitTexts.changesOf(changes)
    if (Result.isFailure(read)) return yield* new UsageError({ message: read.failure })
    const limits = yield* Input.field("limits", Result.merge(overridesOf(read.success.limits)))
    const resetLimits = read.success.resetLimits.map(coreName)
    const changed = yield* organizations.update({ id, limits, resetLimits })
    yield* printLimits(plainLimits(changed.settings.limits))
  }),
)

export const limits = Command.make("limits").pipe(
  Command.withDescription("Limits of an organization"),
  Command.withSubcommands([show, set]),
)
