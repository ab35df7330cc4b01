import type { Account, Entry } from "@countersign/core/Account"
import { type Command, needs, type Tag } from "@countersign/core/Command"
import type { Rows, Writes } from "@countersign/core/Decision"
import * as Message from "@countersign/core/Message"
import type { Recipient } from "@countersign/core/Recipient"
import type { Verification } from "@countersign/core/Verification"
import * as Read from "./rows.ts"
import type { Key, Statements } from "./statements.ts"
import type { Statement } from "./pipeline.ts"

/** One command's rows, collected for a whole batch. */
export class Wanted {
  readonly organizations = new Set<string>()
  readonly #recipients = new Map<string, Key<string>>()
  readonly #verifications = new Map<string, Key<string>>()
  readonly #messages = new Map<string, Key<number>>()

  add<T extends Tag>(command: Command<T>): void {
    const { organization } = command
    const { message, recipient, verification } = needs(command)
    this.organizations.add(organization)
    if (recipient !== undefined) {
      this.#recipients.set(place(organization, recipient), { organization, key: recipient })
    }
    if (verification !== undefined) {
      this.#verifications.set(place(organization, verification), {
        organization,
        key: verification,
      })
    }
    if (message !== undefined) {
      this.#messages.set(place(organization, message), { organization, key: message })
    }
  }

  /** What to ask for in the first trip, behind the locks. */
  statements(
    sql: Statements,
  ): ReadonlyArray<{ readonly kind: Kind; readonly statement: Statement }> {
    const recipients = [...this.#recipients.values()]
    const verifications = [...this.#verifications.values()]
    const messages = [...this.#messages.values()]
    return [
      {
        kind: "accounts" as const,
        statement: sql.lockAccounts([...this.organizations].toSorted()),
      },
      { kind: "clock" as const, statement: sql.readClock },
      ...(recipients.length === 0
        ? []
        : [{ kind: "recipients" as const, statement: sql.readRecipients(recipients) }]),
      ...(verifications.length === 0
        ? []
        : [
            { kind: "verifications" as const, statement: sql.readVerifications(verifications) },
            { kind: "recipients" as const, statement: sql.readRecipientsOf(verifications) },
          ]),
      ...(messages.length === 0
        ? []
        : [{ kind: "messages" as const, statement: sql.readMessages(messages) }]),
    ]
  }
}

export type Kind = "accounts" | "clock" | "recipients" | "verifications" | "messages"

/** Organization ids have no spaces, so no two places have the same text. */
const place = (organization: string, key: string | number): string => `${organization} ${key}`

/** The rows of a batch, as they were read and as its commands have changed them so far. */
export class BatchRows {
  readonly #accounts = new Map<string, Account>()
  readonly #recipients = new Map<string, Recipient>()
  readonly #verifications = new Map<string, Verification>()
  readonly #messages = new Map<string, Message.Message>()
  readonly #readVerifications = new Set<string>()
  readonly #readMessages = new Map<string, Message.Message>()
  readonly #changedAccounts = new Set<string>()
  readonly #changedRecipients = new Set<string>()
  readonly #changedVerifications = new Set<string>()
  readonly #changedMessages = new Set<string>()
  readonly #entries: Array<Entry> = []

  /** Takes in what one statement has read. */
  load(kind: Kind, rows: ReadonlyArray<Read.Row>): void {
    for (const row of rows) {
      switch (kind) {
        case "accounts": {
          const account = Read.account(row)
          this.#accounts.set(account.organization, account)
          break
        }
        case "recipients": {
          const recipient = Read.recipient(row)
          this.#recipients.set(place(recipient.organization, recipient.number), recipient)
          break
        }
        case "verifications": {
          const verification = Read.verification(row)
          const at = place(verification.organization, verification.id)
          this.#verifications.set(at, verification)
          this.#readVerifications.add(at)
          break
        }
        case "messages": {
          const message = Read.message(row)
          const at = place(message.organization, message.number)
          this.#messages.set(at, message)
          this.#readMessages.set(at, message)
          break
        }
        case "clock":
          break
      }
    }
  }

  /** The rows of one organization, as the decider wants them. */
  of(organization: string): Rows {
    return {
      account: this.#accounts.get(organization),
      recipient: (number) => this.#recipients.get(place(organization, number)),
      verification: (id) => this.#verifications.get(place(organization, id)),
      message: (number) => this.#messages.get(place(organization, number)),
    }
  }

  apply({ account, entries, message, recipient, verification }: Writes): void {
    if (account !== undefined) {
      this.#accounts.set(account.organization, account)
      this.#changedAccounts.add(account.organization)
    }
    if (recipient !== undefined) {
      const at = place(recipient.organization, recipient.number)
      this.#recipients.set(at, recipient)
      this.#changedRecipients.add(at)
    }
    if (verification !== undefined) {
      const at = place(verification.organization, verification.id)
      this.#verifications.set(at, verification)
      this.#changedVerifications.add(at)
    }
    if (message !== undefined) {
      const at = place(message.organization, message.number)
      this.#messages.set(at, message)
      this.#changedMessages.add(at)
    }
    if (entries !== undefined) this.#entries.push(...entries)
  }

  /** What to write in the second trip; nothing when no command has changed anything. */
  writes(sql: Statements): ReadonlyArray<Statement> {
    const statements: Array<Statement> = []
    const add = <A>(rows: ReadonlyArray<A>, write: (rows: ReadonlyArray<A>) => Statement): void => {
      if (rows.length > 0) statements.push(write(rows))
    }
    add(pick(this.#accounts, this.#changedAccounts), sql.updateAccounts)
    add(pick(this.#recipients, this.#changedRecipients), sql.saveRecipients)
    const isRead = (row: Verification) =>
      this.#readVerifications.has(place(row.organization, row.id))
    const verifications = pick(this.#verifications, this.#changedVerifications)
    add(
      verifications.filter((row) => !isRead(row)),
      sql.insertVerifications,
    )
    add(verifications.filter(isRead), sql.updateVerifications)
    add(this.#entries, sql.insertEntries)
    const messages = pick(this.#messages, this.#changedMessages)
    const before = (row: Message.Message) =>
      this.#readMessages.get(place(row.organization, row.number))
    add(
      messages.filter((row) => before(row) === undefined),
      sql.insertMessages,
    )
    add(
      messages.filter((row) => before(row) !== undefined),
      sql.updateMessages,
    )
    add(
      messages.filter((row) => row.dueAt !== null && row.dueAt !== before(row)?.dueAt),
      sql.saveOpenMessages,
    )
    add(
      messages.filter((row) => row.dueAt === null && (before(row)?.dueAt ?? null) !== null),
      sql.deleteOpenMessages,
    )
    add(
      messages.filter(
        (row) => Message.isAwaitingReport(row) && row.gatewayId !== before(row)?.gatewayId,
      ),
      sql.saveGatewayIds,
    )
    return statements
  }
}

const pick = <A>(rows: ReadonlyMap<string, A>, changed: ReadonlySet<string>): ReadonlyArray<A> => {
  const picked: Array<A> = []
  for (const at of changed) {
    const row = rows.get(at)
    if (row !== undefined) picked.push(row)
  }
  return picked
}
