/**
 * A file that `pnpm codegen` writes, whole or in part.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { format } from "oxfmt"
import type { Barrel } from "./barrels.ts"
import { root } from "./paths.ts"

/** `expected`: the text of the file, from the text that it has now. */
export const generatedFile = (path: string, expected: (actual: string) => string): Barrel => {
  const file = join(root, path)
  const actual = existsSync(file) ? readFileSync(file, "utf8") : undefined
  return { file, actual, expected: expected(actual ?? "") }
}

/** A file with this text, as the formatter leaves it. */
export const formattedFile = async (path: string, text: string): Promise<Barrel> => {
  const { code } = await format(path, text, { printWidth: 100, semi: false })
  return generatedFile(path, () => code)
}
