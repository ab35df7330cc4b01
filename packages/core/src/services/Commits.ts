/**
 * Runs every command against the store, and publishes and counts the committed events.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type {
  Command,
  CommandResult,
  NoAccount,
  RuleResult,
  Stale,
  Tag,
} from "../decide/Command.ts"
import { OrganizationNotFound, type StoreUnavailable } from "../domain/Errors.ts"
import type { Event } from "../domain/Event.ts"
import { Events } from "./Events.ts"
import { StaleSettings } from "./internal/staleSettings.ts"
import { Store } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"

export class Commits extends Context.Service<
  Commits,
  {
    /**
     * Commits a command and publishes its events. `NoAccount` and `Stale` are errors. Uninterruptible: the events of a commit that has begun are
     * always published.
     */
    readonly run: <T extends Tag>(
      command: Command<T>,
    ) => Effect.Effect<RuleResult<T>, OrganizationNotFound | StaleSettings | StoreUnavailable>
  }
>()("@countersign/core/services/Commits") {
  static readonly layer = Layer.effect(
    Commits,
    Effect.gen(function* () {
      const store = yield* Store
      const events = yield* Events

      const run = <T extends Tag>(command: Command<T>) =>
        Effect.uninterruptible(
          Effect.flatMap(store.execute(command), ({ events: raised, outcome }) =>
            raised.length === 0
              ? ownOutcome<T>(outcome)
              : Effect.withFiber((fiber) => {
                  events.publishUnsafe(raised)
                  for (const event of raised) count(event)?.(fiber.context)
                  return ownOutcome<T>(outcome)
                }),
          ),
        )

      return Commits.of({ run })
    }),
  )
}

const count = (event: Event): Telemetry.Update | undefined => {
  switch (event._tag) {
    case "MessageSettled":
      return Telemetry.countOutcome(event.status)
    case "Refunded":
      return Telemetry.countRefund
    case "VerificationSent":
    case "Verified":
    case "Failed":
    case "FraudSuspected":
    // Never committed: the router counts the changes of its circuits itself.
    case "GatewayHealthChanged":
      return undefined
  }
}

const isCommon = <T extends Tag>(
  outcome: CommandResult<T>,
): outcome is CommandResult<T> & (NoAccount | Stale) =>
  outcome._tag === "NoAccount" || outcome._tag === "Stale"

const isOwn = <T extends Tag>(outcome: CommandResult<T>): outcome is RuleResult<T> =>
  !isCommon(outcome)

const ownOutcome = <T extends Tag>(
  outcome: CommandResult<T>,
): Effect.Effect<RuleResult<T>, OrganizationNotFound | StaleSettings> => {
  if (isOwn<T>(outcome)) return Effect.succeed(outcome)
  return Effect.fail(outcome._tag === "Stale" ? new StaleSettings() : new OrganizationNotFound())
}
