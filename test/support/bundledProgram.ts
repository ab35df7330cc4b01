/** A program with all that it imports in one file, for tests that start it many times. */
import { build } from "esbuild"

/** `outfile` is the file to write. PGlite is omitted, because it is loaded only when it is used. */
export const bundleProgram = async (entry: string, outfile: string): Promise<void> => {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@electric-sql/pglite"],
    logLevel: "error",
  })
}
