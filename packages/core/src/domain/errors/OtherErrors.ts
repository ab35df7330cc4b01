/** Errors outside the engine: of the promise API, of HTTP and of its client, of the admin API and of the login. */
import { oneOf, type Row } from "./ErrorRow.ts"

type Rows = Readonly<Record<string, Omit<Row, "params"> & Partial<Pick<Row, "params">>>>

/** The errors that only the promise API has, and `internal`, which the HTTP interfaces also have. */
export const promiseErrors = {
  configuration: {
    status: 500,
    sentence: "The options are invalid",
    meaning: "The options of `createCountersign` are invalid. Nothing has been started.",
    advice: "Correct the options.",
    isForOperators: true,
  },
  start: {
    status: 500,
    sentence: "The engine could not be started",
    meaning:
      "The engine could not be started: the database is unreachable, or another process uses the data folder.",
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
    meaning: "The engine has ended, by `dispose` or after a block with `await using`.",
    advice:
      "Tell the user that it did not work; with the status `unknown`, to wait a little first.",
    isForOperators: true,
  },
  internal: {
    status: 500,
    sentence: "Internal error",
    meaning: "A bug in Countersign, in a gateway or in an option.",
    isFinal: true,
    advice: "Tell the user that it did not work, and log the `cause`.",
    body: "InternalError",
  },
} as const satisfies Rows

/** The errors that only the HTTP interfaces have. */
export const httpErrors = {
  not_found: {
    status: 404,
    sentence: "Not found",
    meaning: "No such path. At `/jwks.json`: the service signs no proofs.",
    advice: "Correct the address.",
  },
  method_not_allowed: {
    status: 405,
    sentence: "Method not allowed",
    meaning: "The path has other methods.",
    advice: "Use a method that the header `Allow` names.",
  },
  body_too_large: {
    status: 413,
    sentence: "The body is too large",
    meaning: "The body is larger than `maxBodyBytes`, which is 64 KiB by default.",
    advice: "Send less.",
  },
  unsupported_media_type: {
    status: 415,
    sentence: "The body is not JSON",
    meaning: "The body is not declared to be JSON.",
    advice: "Send the header `Content-Type: application/json`.",
  },
  bad_request: {
    status: 400,
    sentence: "Bad request",
    meaning:
      "Not an HTTP request. Only the server of `@countersign/node` answers it, with 400, 408 or 431.",
    advice: "Correct the request.",
  },
} as const satisfies Rows

/** The errors that only the admin API has. */
export const adminErrors = {
  forbidden: {
    status: 403,
    sentence: "Your roles do not allow this",
    meaning: "The roles of the principal do not allow the operation.",
    advice: "Ask an administrator.",
  },
  misdirected: {
    status: 421,
    sentence: "This host is not served",
    meaning: "The `Host` of the request is not among the hosts of the admin API.",
    advice: "Use a host of the option `hosts`.",
  },
} as const satisfies Rows

/** The errors that only the endpoints of the login have. */
export const loginErrors = {
  foreign_origin: {
    status: 403,
    sentence: "The request comes from another site",
    meaning: "A page of another site has sent the request, and `origins` does not list it.",
    advice: "Serve the page from the host of the login, or add its origin to `origins`.",
  },
  number_changed: {
    status: 409,
    sentence: "The code was sent to another number",
    meaning:
      "The `phoneNumber` of the body is not the last number of this browser: another tab has begun with another number. No attempt was used.",
    advice: "Read the state again, and show the number that the code was sent to.",
  },
} as const satisfies Rows
