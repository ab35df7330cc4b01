/**
 * Every example runs to its end, and asserts what it shows.
 */
import { globSync } from "node:fs"
import { join } from "node:path"
import { test } from "vitest"

const folder = join(import.meta.dirname, "..")

test.each(globSync("*.ts", { cwd: folder }).toSorted())("%s", (name) => import(join(folder, name)))
