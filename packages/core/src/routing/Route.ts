/** The routes of a host. The module imports no type of Effect. */
import type { Channel } from "../domain/values/Channel.ts"

/** Selects the messages that a gateway may carry. A missing condition always matches. */
export interface Route<Name extends string = string> {
  /** The gateway's name. */
  readonly gateway: Name
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Calling codes, or longer beginnings of phone numbers: `880`, `88017`. One of them must match. */
  readonly prefixes?: ReadonlyArray<string> | undefined
  /** The senders of the messages, as the recipients see them. */
  readonly senders?: ReadonlyArray<string> | undefined
  readonly organizations?: ReadonlyArray<string> | undefined
  readonly purposes?: ReadonlyArray<"message" | "verification"> | undefined
  /** Gateways with a lower value are tried first. @defaultValue 0 */
  readonly priority?: number | undefined
  /** The share of messages that try this gateway first, at equal priority. 0: last resort. @defaultValue 1 */
  readonly weight?: number | undefined
}
