/** The options of `countersign serve`: the options of `createCountersign`, and the options of the process. */
import type { Role } from "@countersign/http/admin/AdminOptions"
import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { AnyGateway, Gateways } from "./gateways.ts"
import type { CountersignOptions, Secret } from "./options.ts"

/** A gateway in JSON: the name of its vendor, and the options of the vendor's function. */
export interface VendorSettings {
  /** `twilio`, `kannel`, `http` and so on. */
  readonly vendor: string
  readonly [option: string]: unknown
}

/** A gateway as a value or by the name of its vendor. */
export type ServedGateway = AnyGateway | VendorSettings

/** Where the server listens. */
export interface ListenOptions {
  /** The address. @defaultValue all addresses of the machine */
  readonly host?: string | undefined
  /** The TCP port. `0`: a free one. @defaultValue 3000 */
  readonly port?: number | undefined
}

/** The admin API for programs, behind a token. */
export interface ServedAdmin {
  /**
   * The token of `Authorization: Bearer`, or a list of tokens: at least 32 random characters.
   */
  readonly token: Secret
  /** The base path. @defaultValue `/admin` */
  readonly basePath?: string | undefined
  /** The values of the header `Host` that are answered. @defaultValue any host */
  readonly hosts?: ReadonlyArray<string> | undefined
}

/** The dashboard, behind a password. */
export interface ServedDashboard {
  /** At least 12 characters. A new password ends the sessions of the one before. */
  readonly password: string
  /** At least 16 characters. Protects the password in a dump of the database. @defaultValue none */
  readonly secret?: string | undefined
  /** The rights of a person with the password. @defaultValue `["operator"]` */
  readonly roles?: ReadonlyArray<Exclude<Role, "tenant">> | undefined
  /** The name that the pages show. @defaultValue `Countersign` */
  readonly name?: string | undefined
  /** The languages that people can choose. The first one is the default. @defaultValue `["en", "bn"]` */
  readonly locales?: ReadonlyArray<"en" | "bn"> | undefined
  /** The base path. @defaultValue `/dashboard` */
  readonly basePath?: string | undefined
  /** The values of the header `Host` that are answered. @defaultValue any host */
  readonly hosts?: ReadonlyArray<string> | undefined
}

/** Options of `countersign serve`. */
export interface ServeOptions extends Omit<CountersignOptions, "clock" | "gateways"> {
  /**
   * A list, whose first gateway that accepts a message carries it, or a gateway for each channel. JSON names them by
   * `vendor`, with the options of the vendor's function.
   *
   * @defaultValue a gateway that prints messages, in development only
   */
  readonly gateways?:
    | ReadonlyArray<ServedGateway>
    | { readonly [Channel in keyof Gateways]?: ServedGateway | undefined }
    | undefined
  /** Where the server listens. */
  readonly listen?: ListenOptions | undefined
  /** The admin API for programs. @defaultValue not served */
  readonly admin?: ServedAdmin | undefined
  /** The dashboard. @defaultValue not served */
  readonly dashboard?: ServedDashboard | undefined
  /**
   * How long requests are still served after SIGTERM while `/ready` fails. It must exceed the time that your balancer
   * takes to notice.
   *
   * @defaultValue `"10 seconds"` in production, and else `"0 seconds"`
   */
  readonly shutdownWait?: Duration | undefined
}
