/**
 * Errors outside the engine: of the promise API, of HTTP and of its client.
 */
import { oneOf, type Row } from "./ErrorRow.ts"

/** The errors that only the promise API has, and `internal`, which the HTTP interfaces have as well. */
export const promiseErrors = {
  configuration: {
    status: 500,
    params: {},
    sentence: "The options are invalid",
    meaning: "The options of `createCountersign` are invalid. Nothing has been started.",
    retry: "changed",
    advice: "Correct the options.",
    isForOperators: true,
  },
  start: {
    status: 500,
    params: {},
    sentence: "The engine could not be started",
    meaning:
      "The engine could not be started: the database does not respond or refuses the connection, or another process uses the data folder. The message names the host, the port and the database, or the process that has the folder open.",
    retry: "changed",
    advice: "Read the message and the log.",
    isForOperators: true,
  },
  disposed: {
    status: 503,
    params: {
      status: oneOf(
        ["refused", "unknown"],
        "`refused`: the call came later and did nothing. `unknown`: the call took longer than `dispose` waits and may have taken effect.",
      ),
    },
    by: "status",
    sentence: {
      refused: "This Countersign has been disposed",
      unknown:
        "This Countersign was disposed before the call ended: the call may have taken effect",
    },
    meaning:
      "The engine has ended because of `dispose`, or because a block with `await using` ended.",
    retry: "changed",
    advice:
      "Tell the user that it did not work; with the status `unknown`, to wait a little first.",
    isForOperators: true,
  },
  internal: {
    status: 500,
    params: {},
    sentence: "Internal error",
    meaning: "A bug in Countersign, in a gateway or in an option.",
    retry: "never",
    advice: "Tell the user that it did not work, and log the `cause`.",
    body: "InternalError",
  },
} as const satisfies Readonly<Record<string, Row>>

/** The errors that only the HTTP interfaces have. */
export const httpErrors = {
  not_found: {
    status: 404,
    params: {},
    sentence: "Not found",
    meaning: "No such path. At `/jwks.json`: the service signs no proofs.",
    retry: "changed",
    advice: "Correct the address.",
  },
  method_not_allowed: {
    status: 405,
    params: {},
    sentence: "Method not allowed",
    meaning: "The path has other methods.",
    retry: "changed",
    advice: "Use a method that the header `Allow` names.",
  },
  body_too_large: {
    status: 413,
    params: {},
    sentence: "The body is too large",
    meaning: "The body is larger than `maxBodyBytes`, which is 64 KiB by default.",
    retry: "changed",
    advice: "Send less.",
  },
  unsupported_media_type: {
    status: 415,
    params: {},
    sentence: "The body is not JSON",
    meaning: "The body is not declared to be JSON.",
    retry: "changed",
    advice: "Send the header `Content-Type: application/json`.",
  },
  bad_request: {
    status: 400,
    params: {},
    sentence: "Bad request",
    meaning:
      "Not an HTTP request. Only the server of `@countersign/node` answers it, with 400, 408 or 431.",
    retry: "changed",
    advice: "Correct the request.",
  },
} as const satisfies Readonly<Record<string, Row>>

/** The errors that only the admin API has. */
export const adminErrors = {
  forbidden: {
    status: 403,
    params: {},
    sentence: "Your roles do not allow this",
    meaning: "The roles of the principal do not allow the operation.",
    retry: "changed",
    advice: "Ask an administrator.",
  },
  misdirected: {
    status: 421,
    params: {},
    sentence: "This host is not served",
    meaning: "The `Host` of the request is not among the hosts of the admin API.",
    retry: "changed",
    advice: "Use a host of the option `hosts`.",
  },
} as const satisfies Readonly<Record<string, Row>>
