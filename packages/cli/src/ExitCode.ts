/** The exit codes of the command line. */

/** By meaning. A command that a signal interrupts exits with 130. */
export const exitCodes = {
  /** The command was carried out. */
  done: 0,
  /** The command was refused or has failed. */
  failed: 1,
  /** Unknown command or flag, a value that is not valid, or a question without a terminal. */
  usage: 2,
  /** There is no such organization, key, sender, message, request or webhook. */
  notFound: 3,
  /** The database cannot be reached, or is too busy. */
  unavailable: 4,
  /** The doctor has found problems. */
  problems: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
