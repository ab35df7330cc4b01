/**
 * What a newcomer does first, in a folder that has nothing but the committed files. The other of the
 * two commands is the one that runs this.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { assert, it } from "vitest"
import { freePorts } from "../support/freePorts.ts"
import { assertBehindPassword } from "../support/passwordSignIn.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const root = join(import.meta.dirname, "../..")
const clone = temporaryFolder("countersign-clone-")

/** As `git clone` would make it, with what is not committed yet. */
const copyTrackedFiles = () => {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
  })
  for (const file of list
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
}

/** As it is outside of a package manager's script: without its settings, and without its Node. */
const bareEnvironment = (): Record<string, string> => {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^p?npm_/i.test(name) && name !== "NODE_ENV" && name !== "INIT_CWD",
  )
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
  return Object.fromEntries([
    ...kept.map(([name, value]) => [name, value ?? ""]),
    ["PATH", path.join(delimiter)],
  ])
}

/**
 * What a newcomer waits for. What only the release checks need is in the second workspace. Real peers of the tests are
 * here: a provider of OpenID Connect and the SDK of OpenTelemetry have 35 packages.
 */
const most = { packages: 380, megabytes: 620 }

const installed = (): typeof most => {
  const modules = join(clone, "node_modules")
  const size = execFileSync("du", ["-sm", modules], { encoding: "utf8" })
  const packages = readdirSync(join(modules, ".pnpm")).filter((name) => name.includes("@"))
  return { packages: packages.length, megabytes: Number.parseInt(size, 10) }
}

it("the start command sets up an empty clone and serves", { timeout: 300_000 }, async () => {
  copyTrackedFiles()
  const [port = 0] = await freePorts(1)
  const command = spawn("npx", ["-y", "pnpm@12.21.0", "start"], {
    cwd: clone,
    env: { ...bareEnvironment(), PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  let output = ""
  command.stdout.on("data", (chunk) => (output += chunk))
  command.stderr.on("data", (chunk) => (output += chunk))
  const ended = new Promise<void>((resolve) => command.on("exit", () => resolve()))
  const file = join(clone, ".countersign/quickstart.json")
  const serving = new Promise<void>((resolve) => {
    command.stdout.on("data", () => {
      if (output.includes("/inbox") && existsSync(file)) resolve()
    })
  })
  try {
    await Promise.race([serving, ended])
    assert.isTrue(existsSync(file), output)
    const { baseUrl, dashboardPassword, dashboardUrl, inboxUrl, organizations } = JSON.parse(
      readFileSync(file, "utf8"),
    )
    const headers = { authorization: `Bearer ${organizations[0].apiKey}` }
    const answer = await fetch(`${baseUrl}/balance`, { headers })
    assert.deepStrictEqual(await answer.json(), {
      success: true,
      data: { balance: 100, currency: "BDT" },
    })
    assert.strictEqual((await fetch(`${baseUrl}/jwks.json`)).status, 200)
    assert.strictEqual((await fetch(inboxUrl)).status, 200)
    const { megabytes, packages } = installed()
    assert.isAtMost(packages, most.packages)
    assert.isAtMost(megabytes, most.megabytes)
    // Its pages are built from their sources.
    await assertBehindPassword(dashboardUrl, dashboardPassword)
  } finally {
    if (command.pid !== undefined && command.exitCode === null)
      process.kill(-command.pid, "SIGTERM")
    await ended
  }
})
