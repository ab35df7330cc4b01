/** The commands on one organization's state, and their results. */
import type * as Verifications from "./commands/verifications.ts"
import type * as Checks from "./commands/checks.ts"
import type * as Messages from "./commands/messages.ts"
import type * as Webhooks from "./commands/webhooks.ts"
import type * as OptOuts from "./commands/optOuts.ts"
import type * as Records from "./commands/records.ts"
import type * as Outbox from "./commands/outbox.ts"
import type * as Batches from "./commands/batches.ts"
import type * as Alerts from "./commands/alerts.ts"
import type { IdempotentCall } from "../domain/values/IdempotencyKey.ts"
import type { Claimed } from "../domain/outbox/QueuedSend.ts"
import type {
  IdempotencyMismatch,
  NoAccount,
  NotQueued,
  Of,
  Repeated,
  Stale,
} from "./shared/Results.ts"

interface Commands
  extends
    Verifications.Commands,
    Checks.Commands,
    Messages.Commands,
    OptOuts.Commands,
    Webhooks.Commands,
    Records.Commands,
    Outbox.Commands,
    Batches.Commands,
    Alerts.Commands {}

interface Results
  extends
    Verifications.Results,
    Checks.Results,
    Messages.Results,
    OptOuts.Results,
    Webhooks.Results,
    Records.Results,
    Outbox.Results,
    Batches.Results,
    Alerts.Results {}

export type Tag = keyof Commands

export type Command<T extends Tag = Tag> = Of<Commands, T>

/** The results of a command by its own rules. */
export type OwnResult<T extends Tag = Tag> = Results[T]

/** All results of a command. */
export type CommandResult<T extends Tag = Tag> =
  | OwnResult<T>
  | NoAccount
  | Stale
  | Repeated
  | IdempotencyMismatch
  | NotQueued

/** The call that a command is part of, if it has a key. */
export const callOf = <T extends Tag>(command: Command<T>): IdempotentCall | undefined =>
  "idempotency" in command ? command.idempotency : undefined

/** The queued send that a command is for. */
export const claimedOf = <T extends Tag>(command: Command<T>): Claimed | undefined =>
  "queued" in command ? command.queued : undefined
