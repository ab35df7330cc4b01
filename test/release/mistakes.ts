/**
 * Mistakes that a change could bring in, and the test that detects each. A row for what a mutation of a pure
 * function does not show: races, money between one commit and the next, isolation, secrets. The tests draw
 * nothing at random, or the same in every run: a property may miss a mistake now and then.
 */
import { betterAuthMistakes } from "./betterAuthMistakes.ts"
import { commitMistakes } from "./commitMistakes.ts"
import { isolationMistakes } from "./isolationMistakes.ts"
import { loginMistakes } from "./loginMistakes.ts"
import { moneyMistakes } from "./moneyMistakes.ts"
import type { Mistake } from "./planting.ts"
import { secretMistakes } from "./secretMistakes.ts"

export const mistakes: ReadonlyArray<Mistake> = [
  ...commitMistakes,
  ...moneyMistakes,
  ...isolationMistakes,
  ...secretMistakes,
  ...loginMistakes,
  ...betterAuthMistakes,
]
