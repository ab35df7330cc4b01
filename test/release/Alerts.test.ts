/** The rules of `deploy/alerts.yml`, as Prometheus reads them: `promtool` of Debian checks them and plays series. */
import { metricRows } from "@countersign/core/engine/MetricTable"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it, onTestFinished, type TestContext } from "vitest"
import { createCountersign } from "countersign"
import { fetchMillis, programsOf } from "../gateways/smpp/debian.ts"
import { alertName, alertRows } from "../tools/operate/alertRows.ts"
import { root } from "../tools/paths.ts"
import { cases, testsOfRules } from "./operate/alertCases.ts"

const run = promisify(execFile)

const programs = await programsOf("prometheus")

const temporaryFile = (name: string, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-alerts-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const rules = join(root, "deploy/alerts.yml")

describe("the rules of Prometheus", () => {
  const promtool = async (
    context: TestContext,
    ...args: ReadonlyArray<string>
  ): Promise<string> => {
    if ("missing" in programs) return context.skip(programs.missing)
    const { env, path } = programs
    try {
      const { stdout } = await run(path("usr/bin/promtool"), [...args], {
        env: { ...process.env, ...env },
      })
      return stdout
    } catch (error) {
      const said = error instanceof Error && "stdout" in error ? `${String(error.stdout)}` : ""
      const why = error instanceof Error && "stderr" in error ? `${String(error.stderr)}` : ""
      throw new Error(`promtool ${args.join(" ")}: ${said}${why}`, { cause: error })
    }
  }

  it(
    "are valid",
    async (context) => {
      const said = await promtool(context, "check", "rules", rules)
      assert.include(said, `SUCCESS: ${alertRows.length} rules found`)
    },
    fetchMillis,
  )

  it(
    "fire when they should, and not before",
    async (context) => {
      const tests = temporaryFile("tests.yml", testsOfRules(rules))
      assert.include(await promtool(context, "test", "rules", tests), "SUCCESS")
    },
    fetchMillis,
  )

  it(
    "do not pass tests that expect an alert too early",
    async (context) => {
      const early = testsOfRules(rules, (one) => ({ ...one, firesAt: "1s" }))
      const tests = temporaryFile("tests.yml", early)
      const failed = await promtool(context, "test", "rules", tests).then(
        () => "passed",
        (error: unknown) => String(error),
      )
      assert.include(failed, "FAILED")
    },
    fetchMillis,
  )

  it(
    "are about metrics that an engine has, in a format that Prometheus accepts",
    async (context) => {
      await using countersign = await createCountersign({ database: "memory", log: () => {} })
      const file = temporaryFile("metrics.txt", await countersign.metrics())
      if ("missing" in programs) return context.skip(programs.missing)
      const { env, path } = programs
      // The linter of Prometheus reads the text from its input.
      const { stderr, stdout } = await run(
        "sh",
        ["-c", `"$1" check metrics < "$2"`, "sh", path("usr/bin/promtool"), file],
        { env: { ...process.env, ...env } },
      )
      assert.strictEqual(stdout + stderr, "")
    },
    fetchMillis,
  )
})

describe("alerts", () => {
  const namesIn = (text: string) => text.match(/countersign_[a-z_]+/g) ?? []
  const known = new Set(
    Object.entries(metricRows).flatMap(([name, { kind }]) =>
      kind === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name],
    ),
  )

  it.each(["deploy/alerts.yml", "deploy/grafana/countersign.json"])(
    "name only metrics of the table in %s",
    (path) => {
      const names = namesIn(readFileSync(join(root, path), "utf8"))
      assert.isAtLeast(names.length, 20)
      for (const name of names) assert.isTrue(known.has(name), name)
    },
  )

  it("have a case each that plays when they fire", () => {
    assert.sameMembers(
      cases.map(({ alert }) => alert),
      alertRows.map(alertName),
    )
  })

  it("use labels and values of the table only", () => {
    for (const { expr, name } of alertRows) {
      for (const [, metric = "", selector = ""] of expr.matchAll(/(countersign_\w+)\{([^}]*)\}/g)) {
        const base = Object.entries(metricRows).find(([one]) => metric.startsWith(one))?.[1]
        for (const [, label = "", value = ""] of selector.matchAll(
          /(\w+)(?:=~|!~|!=|=)"([^"]*)"/g,
        )) {
          const values = base?.labels?.[label]
          assert.isDefined(values, `${name}: ${label} of ${metric}`)
          if (typeof values === "string") continue
          for (const part of value.split("|")) assert.include(values, part, name)
        }
      }
    }
  })
})
