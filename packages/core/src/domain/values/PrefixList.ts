/**
 * The prefixes of phone numbers that an organization blocks or allows. Of all prefixes of a number, the longest
 * decides; if both lists contain it, the number is blocked.
 */
import * as Result from "effect/Result"
import * as FieldProblem from "./FieldProblem.ts"
import type { ParseResult, PhoneNumber } from "./PhoneNumber.ts"

interface Lists {
  /** Numbers with these prefixes get no messages. The first digits of numbers, country code included. */
  readonly blockedPrefixes: ReadonlyArray<string>
  /** The fraud rules neither count nor deny codes to numbers with these prefixes. */
  readonly allowedPrefixes: ReadonlyArray<string>
}

export interface Prefixes extends Lists {
  /** Why a prefix is in one of the lists, for people. Without prefixes that have no reason. */
  readonly prefixReasons: Readonly<Record<string, string>>
}

export const none: Prefixes = { blockedPrefixes: [], allowedPrefixes: [], prefixReasons: {} }

/** The names of the lists. */
export const lists = ["blockedPrefixes", "allowedPrefixes"] as const

/** Longest reason, in UTF-16 units. */
export const maxReason = 200

/** Maximum number of prefixes in one list. */
export const maxPrefixes = 200

const shape = /^[1-9]\d{0,14}$/

/** The problems of a list. */
export const problems = (
  prefixes: ReadonlyArray<string>,
): ReadonlyArray<FieldProblem.FieldProblem> => [
  ...(prefixes.length > maxPrefixes ? [FieldProblem.make("too_many", { max: maxPrefixes })] : []),
  ...prefixes
    .slice(0, maxPrefixes)
    .flatMap((entry) => (shape.test(entry) ? [] : [FieldProblem.make("not_prefix", { entry })])),
]

/** The reasons of the prefixes that are in a list. */
export const reasonsIn = (self: Prefixes): Prefixes["prefixReasons"] => {
  const listed = new Set(lists.flatMap((list) => self[list]))
  return Object.fromEntries(
    Object.entries(self.prefixReasons).filter(([prefix]) => listed.has(prefix)),
  )
}

/** The length of the longest prefix that a number has; 0 if it has none. */
const longest = (prefixes: ReadonlyArray<string>, phoneNumber: PhoneNumber): number => {
  let length = 0
  for (const prefix of prefixes) {
    // After the plus.
    if (prefix.length > length && phoneNumber.startsWith(prefix, 1)) length = prefix.length
  }
  return length
}

/** Whether a number gets no messages. */
export const isBlocked = (
  { allowedPrefixes, blockedPrefixes }: Lists,
  phoneNumber: PhoneNumber,
): boolean => {
  const length = longest(blockedPrefixes, phoneNumber)
  return length > 0 && length >= longest(allowedPrefixes, phoneNumber)
}

/** Whether the fraud rules do not apply to a number. */
export const isExempt = (self: Lists, phoneNumber: PhoneNumber): boolean =>
  longest(self.allowedPrefixes, phoneNumber) > longest(self.blockedPrefixes, phoneNumber)

/** The number, unless it is blocked. */
export const accept = (self: Lists, phoneNumber: PhoneNumber): ParseResult =>
  isBlocked(self, phoneNumber) ? Result.fail(blocked) : Result.succeed(phoneNumber)

/** A parser that does not accept blocked numbers either. */
export const parser =
  (parse: (text: string) => ParseResult, self: Lists) =>
  (text: string): ParseResult =>
    Result.flatMap(parse(text), (phoneNumber) => accept(self, phoneNumber))

const blocked = FieldProblem.make("prefix_blocked", {})
