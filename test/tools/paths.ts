import { resolve } from "node:path"

/** The root of the repository. */
export const root = resolve(import.meta.dirname, "../..")

/** The package manager as every command of this repository names it. */
export const pnpm = "pnpm@12.21.0"
