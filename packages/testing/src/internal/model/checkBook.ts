/**
 * The checks of the naive model: wrong and right codes, and what uses a request up.
 */
import { CodeBook } from "./codeBook.ts"
import { limited } from "./guards.ts"
import { attempts, expiryOf, type ModelRequest } from "./messageState.ts"
import type { Action } from "./scenario.ts"

const isFor = (request: ModelRequest, purpose: string | undefined): boolean =>
  purpose === undefined || request.purpose === purpose

export class CheckBook extends CodeBook {
  isRefused(org: number, key: number | undefined): boolean {
    const { isSuspended, keysRevoked } = this.org(org)
    return key !== undefined && (isSuspended || keysRevoked[key % keysRevoked.length] === true)
  }

  resetGuesses({ org, person }: Action<"resetGuesses">): void {
    const organization = this.org(org)
    organization.tries = organization.tries.filter((one) => one.person !== person)
    organization.guessResets += 1
  }

  consume(action: Action<"consume">, org: number, request: ModelRequest | undefined): string {
    if (this.isRefused(org, action.key)) return "Unauthorized"
    if (!this.isKnown(org, request) || !isFor(request, action.purpose)) return "RequestNotFound"
    const state = this.state(request)
    if (state !== "verified") return state === "pending" ? "NotVerified" : endedAs[state]
    return request.consumedAt === undefined ? this.use(request) : "AlreadyConsumed"
  }

  private use(request: ModelRequest): string {
    request.consumedAt = this.now
    return `consumed at ${this.now}, verified at ${request.verifiedAt}`
  }

  check(action: Action<"check">, org: number, request: ModelRequest | undefined): string {
    const refused = this.admitCheck(action, org, request)
    if (refused !== undefined) return refused
    if (!this.isKnown(org, request) || !isFor(request, action.purpose)) return "RequestNotFound"
    const state = this.state(request)
    if (state === "failed" || state === "expired") return endedAs[state]
    const wrong = state === "pending" ? this.guess(action, org, request) : undefined
    return wrong ?? `verified at ${request.verifiedAt}`
  }

  verifyCode(action: Action<"verifyCode">, org: number, request: ModelRequest | undefined): string {
    const refused = this.admitCheck(action, org, request)
    if (refused !== undefined) return refused
    if (!this.isKnown(org, request) || request.purpose !== action.purpose) return "RequestNotFound"
    const state = this.state(request)
    if (state === "failed" || state === "expired") return endedAs[state]
    if (request.consumedAt !== undefined) return "AlreadyConsumed"
    if (this.now >= expiryOf(request)) return "RequestExpired"
    if (request.wrongCodes >= attempts) return "AttemptsExhausted"
    return this.guess(action, org, request) ?? this.use(request)
  }

  /** Counts a check. Returns why it is not admitted. */
  private admitCheck(
    { client, code, key }: Pick<Action<"check">, "client" | "code" | "key">,
    org: number,
    request: ModelRequest | undefined,
  ): string | undefined {
    if (this.isRefused(org, key)) return "Unauthorized"
    if (code === "empty" || code === "long") return "InvalidRequest code"
    const { checked, clientChecks } = this.org(org)
    const person = this.isKnown(org, request) ? request.person : undefined
    const budget = this.budget(org, person, client, [clientChecks, 4])
    const refused = limited(checked, 20, this.now, budget)
    if (refused !== undefined) return refused
    checked.push(this.now)
    if (client !== undefined) clientChecks.push({ client, at: this.now })
    return undefined
  }

  /** Compares a code. Returns the answer to a wrong one. */
  private guess(
    { client, code }: Pick<Action<"check">, "client" | "code">,
    org: number,
    request: ModelRequest,
  ): string | undefined {
    const organization = this.org(org)
    const isRight = ["right", "spaced", "bangla"].includes(code)
    const { person } = request
    const isKnown = this.knows(org, person, client)
    const tried = { person, at: this.now, isRight, client, isKnown }
    organization.tries = [...organization.tries, tried]
    if (isRight) {
      if (client !== undefined) {
        const known = { person, client, at: this.now }
        organization.acquaintances = [...organization.acquaintances, known]
      }
      request.verifiedAt ??= this.now
      return undefined
    }
    request.wrongCodes += 1
    if (request.wrongCodes < attempts) return `WrongCode ${attempts - request.wrongCodes}`
    if (request.verifiedAt === undefined) organization.failedRequests += 1
    return "AttemptsExhausted"
  }
}

const endedAs = { failed: "AttemptsExhausted", expired: "RequestExpired" } as const
