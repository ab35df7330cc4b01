/** What the package adds to a page. */
import { build } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, test } from "vitest"

const folder = join(import.meta.dirname, "..")

test("all of it is at most 12 kB without input-otp, and the stylesheet at most 2 kB", async () => {
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "./src/index.ts"', resolveDir: folder },
    bundle: true,
    minify: true,
    format: "esm",
    jsx: "automatic",
    external: ["react", "react-dom", "input-otp"],
    write: false,
  })
  const [script] = outputFiles
  assert.isDefined(script)
  const size = gzipSync(script?.contents ?? "").length
  const styles = gzipSync(readFileSync(join(folder, "styles.css"))).length
  console.log(`@countersign/react: ${size} bytes gzip, stylesheet ${styles}`)
  assert.isBelow(size, 12_000)
  assert.isBelow(styles, 2_000)
})
